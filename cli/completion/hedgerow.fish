# fish completion for hedgerow(1). It asks the tool itself, so that it knows what the tool knows.

# The names that a listing in hedgerow's help begins its lines with.
function __hedgerow_listed
    $argv --help 2>/dev/null | sed -n '/^commands:/,/^example:/s/^  \([a-z][a-z0-9 ]*[a-z0-9]\)  .*/\1/p'
end

# "--name WORDS" for every option of a command.
function __hedgerow_options
    $argv --help 2>/dev/null | sed -n 's/^  \(-[a-z], \)\{0,1\}\(--[a-z-]*\)\( \([^ ]*\)\)\{0,1\}  .*/\2 \4/p'
end

# What may follow an option, by its name and the words that its help has behind it.
function __hedgerow_value --argument-names tool option kind
    if test $option = --method
        $tool methods 2>/dev/null | sed -n 's/^\([a-z][a-z0-9-]*\)  .*/\1/p'
    else if string match -q '*|*' -- $kind
        string split '|' -- $kind
    else if test $kind = FILE
        __fish_complete_path (commandline -ct)
    end
end

function __hedgerow
    set -l words (commandline -opc)
    set -l tool $words[1]
    set -l at $words[2]
    set -l commands (__hedgerow_listed $tool)
    if test (count $words) = 1
        string replace -r ' .*' '' -- $commands | sort -u
        printf '%s\n' help --help --version
        return
    end
    set -l listed (string replace -f -r "^$at " '' -- $commands)
    if test (count $words) = 2 -a -n "$listed"
        printf '%s\n' $listed --help
        if contains -- $at $commands
            __fish_complete_path (commandline -ct)
        end
        return
    end
    if set -q words[3]; and contains -- $words[3] $listed
        set -a at $words[3]
    end
    switch $at[1]
        case help
            string replace -r ' .*' '' -- $commands | sort -u
            return
        case methods
            __hedgerow_value $tool --method ''
            return
    end
    set -l options (__hedgerow_options $tool $at)
    set -l previous (string replace -r '^-o$' -- '--output' $words[-1])
    set -l kind (string replace -f -r -- "^$previous (.+)" '$1' $options)
    if test -n "$kind"
        __hedgerow_value $tool $previous $kind
    else if string match -q -- '-*' (commandline -ct)
        string replace -r ' .*' '' -- $options
    else
        __fish_complete_path (commandline -ct)
    end
end

complete -c hedgerow -f -a '(__hedgerow)'
