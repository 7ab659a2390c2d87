# SPDX-License-Identifier: GPL-2.0
# Completion of netnice(1) for fish. Behind its options, that of the command.

set -l values -d --down -u --up -b --bandwidth -m --minimum -w --weight -p --priority -i --device -n --name --pid --unit --cgroup --socket --port

# Are all words so far options and their values?
function __netnice_has_no_command -V values
    set -l words (commandline -opc)[2..]
    while set -q words[1]
        string match -q -- '-*' $words[1]; or return 1
        test $words[1] = --; and return 1
        contains -- $words[1] $values; and set -e words[1]
        set -e words[1]
    end
    return 0
end

function __netnice_cgroups
    set -l word (commandline -ct)
    for path in /sys/fs/cgroup/$word*/
        string replace -r '^/sys/fs/cgroup/' '' -- $path
    end
end

function __netnice_units
    systemctl list-units --plain --no-legend --state=active --type=service,slice,scope,socket 2>/dev/null | string replace -r ' .*' ''
end

complete -c netnice -a "(__fish_complete_subcommand -- $values)" -d Command
complete -c netnice -n __netnice_has_no_command -s d -l down -x -d 'receive at most'
complete -c netnice -n __netnice_has_no_command -s u -l up -x -d 'send at most'
complete -c netnice -n __netnice_has_no_command -s b -l bandwidth -x -d 'at most'
complete -c netnice -n __netnice_has_no_command -s m -l minimum -x -d 'before others share'
complete -c netnice -n __netnice_has_no_command -s w -l weight -x -d 'share among others, 1 to 10000'
complete -c netnice -n __netnice_has_no_command -s p -l priority -x -a '0 1 2 3 4 5 6 7' -d 'who goes first'
complete -c netnice -n __netnice_has_no_command -s e -l egress -d 'only for what is sent'
complete -c netnice -n __netnice_has_no_command -s r -l receive -d 'only for what is received'
complete -c netnice -n __netnice_has_no_command -s i -l device -x -a '(command ls /sys/class/net)' -d 'on this device'
complete -c netnice -n __netnice_has_no_command -s n -l name -x -d 'what the VIF is called'
complete -c netnice -n __netnice_has_no_command -l pid -x -a '(__fish_complete_pids)' -d 'a running process'
complete -c netnice -n __netnice_has_no_command -l unit -x -a '(__netnice_units)' -d 'a unit of systemd'
complete -c netnice -n __netnice_has_no_command -l cgroup -x -a '(__netnice_cgroups)' -d 'a control group'
complete -c netnice -n __netnice_has_no_command -l socket -x -d 'PID:FD'
complete -c netnice -n __netnice_has_no_command -l kernel -d 'TCP/IP of its own, of the kernel'
complete -c netnice -n __netnice_has_no_command -l stack -d 'it brings TCP/IP along'
complete -c netnice -n __netnice_has_no_command -l port -x -a 'tcp: udp: auto:' -d 'of the host'
complete -c netnice -n __netnice_has_no_command -l show -d 'print where it is'
complete -c netnice -n __netnice_has_no_command -l off -d 'take back its limits'
complete -c netnice -n __netnice_has_no_command -s v -l verbose -d 'print how much was sent and received'
complete -c netnice -n __netnice_has_no_command -s h -l help -d 'print help'
complete -c netnice -n __netnice_has_no_command -s V -l version -d 'print the version'
