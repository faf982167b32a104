#compdef hedgerow
# zsh completion for hedgerow(1). It asks the tool itself, so that it knows what the tool knows.

# The names that a listing in hedgerow's help begins its lines with.
_hedgerow_listed() {
    "$@" --help 2>/dev/null | sed -n '/^commands:/,/^example:/s/^  \([a-z][a-z0-9 ]*[a-z0-9]\)  .*/\1/p'
}

# "--name WORDS" for every option of a command.
_hedgerow_options() {
    "$@" --help 2>/dev/null | sed -n 's/^  \(-[a-z], \)\{0,1\}\(--[a-z-]*\)\( \([^ ]*\)\)\{0,1\}  .*/\2 \4/p'
}

# What may follow an option, by its name and the words that its help has behind it.
_hedgerow_value() {
    if [[ $2 == --method ]]; then
        compadd -- ${(f)"$($1 methods 2>/dev/null | sed -n 's/^\([a-z][a-z0-9-]*\)  .*/\1/p')"}
    elif [[ $3 == *'|'* ]]; then
        compadd -- ${(s:|:)3}
    elif [[ $3 == FILE ]]; then
        _files
    fi
}

_hedgerow() {
    local tool=$words[1] previous=$words[CURRENT-1]
    local -a commands listed options at
    local -A kinds
    commands=(${(f)"$(_hedgerow_listed $tool)"})
    if ((CURRENT == 2)); then
        compadd -- ${(u)commands%% *} help --help --version
        return
    fi
    at=($words[2])
    listed=(${${(M)commands:#$at[1] *}#* })
    if ((CURRENT == 3 && $#listed)); then
        compadd -- $listed --help
        if ((commands[(Ie)$at[1]])); then _files; fi
        return
    fi
    if ((listed[(Ie)$words[3]])); then at+=($words[3]); fi
    case $at[1] in
    help) compadd -- ${(u)commands%% *} && return ;;
    methods) _hedgerow_value $tool --method && return ;;
    esac
    options=(${(f)"$(_hedgerow_options $tool $at)"})
    for option in $options; do kinds[${option%% *}]=${option#* }; done
    if [[ $previous == -o ]]; then previous=--output; fi
    if [[ -n $kinds[$previous] ]]; then
        _hedgerow_value $tool $previous $kinds[$previous]
    elif [[ $words[CURRENT] == -* ]]; then
        compadd -- ${(k)kinds}
    else
        _files
    fi
}

_hedgerow "$@"
