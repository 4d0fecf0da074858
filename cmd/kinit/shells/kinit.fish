# Completion of kinit in fish: put this file into ~/.config/fish/completions.
function __kinit_complete
    set -l words (commandline -opc)
    set -l found ($words[1] __complete -- $words[2..-1] (commandline -ct) 2>/dev/null)
    if test (count $found) -eq 0
        __fish_complete_path (commandline -ct)
        return
    end
    printf '%s\n' $found
end
complete -c kinit -f -a '(__kinit_complete)'
