# SPDX-License-Identifier: GPL-2.0
#
# The module for one kernel, and the tools:
#   boot.extraModulePackages = [ netnice.module ];
#   boot.kernelModules = [ "netnice" ];
#   environment.systemPackages = [ netnice.tools ];
#   systemd.packages = [ netnice.tools ];
#   systemd.generators.netnice-generator =
#     "${netnice.tools}/lib/systemd/system-generators/netnice-generator";
# with netnice = pkgs.callPackage ./packaging { inherit (config.boot.kernelPackages) kernel; };
{ lib, stdenv, kernel, libmnl, sqlite }:

let
  version = lib.head (builtins.match ".*\nNETNICE_VERSION := ([^\n]*)\n.*"
    (builtins.readFile ../Makefile));
  meta = {
    description = "Limits and shares of network bandwidth for each process";
    license = lib.licenses.gpl2Only;
    platforms = [ "x86_64-linux" "aarch64-linux" ];
  };
in
{
  tools = stdenv.mkDerivation {
    pname = "netnice";
    inherit version meta;
    src = ../.;
    buildInputs = [ libmnl sqlite ];
    buildFlags = [ "tools" ];
    installTargets = [ "install-tools" "install-lib" ];
    installFlags = [ "PREFIX=$(out)" "SYSCONFDIR=$(out)/etc" ];
  };

  module = stdenv.mkDerivation {
    pname = "netnice-module";
    version = "${version}-${kernel.version}";
    inherit meta;
    src = ../.;
    hardeningDisable = [ "pic" "format" ];
    nativeBuildInputs = kernel.moduleBuildDependencies;
    makeFlags = kernel.makeFlags ++ [
      "KVER=${kernel.modDirVersion}"
      "KDIR=${kernel.dev}/lib/modules/${kernel.modDirVersion}/build"
    ];
    buildFlags = [ "modules" ];
    installTargets = [ "modules_install" ];
    preInstall = ''
      makeFlagsArray+=(-C ${kernel.dev}/lib/modules/${kernel.modDirVersion}/build M=$PWD
        INSTALL_MOD_PATH=$out INSTALL_MOD_DIR=extra)
    '';
  };
}
