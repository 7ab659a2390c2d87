# SPDX-License-Identifier: GPL-2.0
# Completion of vifctl(8) for fish.

set -l verbs show list ls stat account export top watch monitor add set del move attach detach stack port program relay save restore batch enable disable help
set -l params bandwidth minimum burst weight priority local_weight local_priority limit aqm fair link_layer group class dscp mark skb_priority quota owner mode program autoremove

function __vifctl_paths
    set -l word (commandline -ct)
    for path in /proc/network/$word*/
        string replace -r '^/proc/network/' '' -- $path | string match -rv '^(tasks|cgroups|devices)/'
    end
end

function __vifctl_sockets
    set -l word (commandline -ct)
    if string match -q '*/*' -- $word
        set -l pid (string split -m 1 / -- $word)[1]
        printf '%s\n' $pid/(command ls /proc/network/tasks/$pid/sockets 2>/dev/null)
    else
        command ls /proc | string match -r '^[0-9]+$' | string replace -r '$' /
    end
end

complete -c vifctl -f
complete -c vifctl -s j -l json -d 'print JSON'
complete -c vifctl -s p -l pretty -d 'print it with line breaks'
complete -c vifctl -s s -l statistics -d 'print statistics too'
complete -c vifctl -l human -d 'those that are not zero, with units'
complete -c vifctl -n 'not __fish_seen_subcommand_from top watch' -s d -l details -d 'print all parameters too'
complete -c vifctl -o br -l brief -d 'print a line each'
complete -c vifctl -s c -l color -a 'always auto never' -d 'print colours'
complete -c vifctl -s v -l verbose -d 'print what is changed'
complete -c vifctl -n 'not __fish_seen_subcommand_from top watch' -s n -l netns -x -a '(ip netns list 2>/dev/null | string replace -r " .*" "")' -d 'in another network namespace'
complete -c vifctl -s b -l batch -r -F -d 'run the commands in a file'
complete -c vifctl -l force -d 'go on behind a line that fails'
complete -c vifctl -s h -l help -d 'print help'
complete -c vifctl -s V -l version -d 'print the version'
complete -c vifctl -n "not __fish_seen_subcommand_from $verbs" -a "$verbs"
complete -c vifctl -n '__fish_seen_subcommand_from help' -a "$verbs"
complete -c vifctl -n '__fish_seen_subcommand_from show list ls stat account export top watch monitor save add set del move attach detach stack port program' -a '(__vifctl_paths)'
complete -c vifctl -n '__fish_seen_subcommand_from show list ls stat export top watch monitor save' -a dev
complete -c vifctl -n '__fish_seen_subcommand_from add set' -a "$params egress ingress"
complete -c vifctl -n '__fish_seen_subcommand_from attach detach' -a 'process thread socket cgroup unit device'
complete -c vifctl -n '__fish_seen_subcommand_from stack' -a 'none netns'
complete -c vifctl -n '__fish_seen_subcommand_from port' -a 'add del tcp udp auto'
complete -c vifctl -n '__fish_seen_subcommand_from program' -a 'egress ingress none'
complete -c vifctl -n '__fish_seen_subcommand_from relay' -a '(__vifctl_sockets)'
complete -c vifctl -n '__fish_seen_subcommand_from relay' -l both -d 'and the other way round'
complete -c vifctl -n '__fish_seen_subcommand_from relay' -l off -d 'it ends'
complete -c vifctl -n '__fish_seen_subcommand_from relay' -l keep -x -d 'what is for the process'
complete -c vifctl -n '__fish_seen_subcommand_from enable disable' -a '(command ls /sys/class/net)'
complete -c vifctl -n '__fish_seen_subcommand_from enable' -l link -d 'a device'
complete -c vifctl -n '__fish_seen_subcommand_from del' -l recursive -d 'and all below'
complete -c vifctl -n '__fish_seen_subcommand_from del' -l force -d 'detach before'
complete -c vifctl -n '__fish_seen_subcommand_from detach' -a all
complete -c vifctl -n '__fish_seen_subcommand_from restore' -l dry-run -d 'print it only'
complete -c vifctl -n '__fish_seen_subcommand_from restore' -l wait -d 'for what is missing'
complete -c vifctl -n '__fish_seen_subcommand_from restore' -l follow -d 'also what goes and comes again'
complete -c vifctl -n '__fish_seen_subcommand_from stat' -l prometheus -d 'for a textfile collector'
complete -c vifctl -n 'string match -q unit -- (commandline -opc)[-1]' -a '(systemctl list-units --plain --no-legend --state=active --type=service,slice,scope,socket 2>/dev/null | string replace -r " .*" "")'
complete -c vifctl -n '__fish_seen_subcommand_from show' -a unit
complete -c vifctl -n '__fish_seen_subcommand_from watch' -a 'process thread socket cgroup unit'
complete -c vifctl -n '__fish_seen_subcommand_from top watch' -s d -l interval -x -d 'seconds between two looks'
complete -c vifctl -n '__fish_seen_subcommand_from top watch' -s n -l count -x -d 'end after so many'
complete -c vifctl -n '__fish_seen_subcommand_from restore batch' -F
complete -c vifctl -n '__fish_seen_subcommand_from top' -l record -r -F -d 'keep the looks'
complete -c vifctl -n '__fish_seen_subcommand_from top' -l replay -r -F -d 'show them again'
