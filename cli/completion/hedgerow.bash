# bash completion for hedgerow(1). It asks the tool itself, so that it knows what the tool knows.

# The names that a listing in hedgerow's help begins its lines with.
_hedgerow_listed() {
    "$1" "${@:2}" --help 2>/dev/null | sed -n '/^commands:/,/^example:/s/^  \([a-z][a-z0-9 ]*[a-z0-9]\)  .*/\1/p'
}

# "--name WORDS" for every option of a command.
_hedgerow_options() {
    "$1" "${@:2}" --help 2>/dev/null | sed -n 's/^  \(-[a-z], \)\{0,1\}\(--[a-z-]*\)\( \([^ ]*\)\)\{0,1\}  .*/\2 \4/p'
}

# The words that may follow an option.
_hedgerow_value() {
    local tool=$1 option=$2 kind
    shift 2
    kind=$(_hedgerow_options "$tool" "$@" | sed -n "s/^$option //p")
    case $option in
    --method) COMPREPLY=($(compgen -W "$("$tool" methods 2>/dev/null | sed -n 's/^\([a-z][a-z0-9-]*\)  .*/\1/p')" -- "$cur")) ;;
    *) case $kind in
        *'|'*) COMPREPLY=($(compgen -W "${kind//|/ }" -- "$cur")) ;;
        FILE) COMPREPLY=($(compgen -f -- "$cur")) ;;
        *) return 1 ;;
        esac ;;
    esac
}

_hedgerow() {
    local tool=${COMP_WORDS[0]} cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local commands groups path=() listed
    COMPREPLY=()
    commands=$(_hedgerow_listed "$tool")
    groups=$(sed -n 's/^\([a-z]*\) .*/\1/p' <<<"$commands" | sort -u)
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "$(sed 's/ .*//' <<<"$commands" | sort -u) help --help --version" -- "$cur"))
        return
    fi
    path=("${COMP_WORDS[1]}")
    if grep -qx -- "${path[0]}" <<<"$groups"; then
        listed=$(sed -n "s/^${path[0]} //p" <<<"$commands")
        if ((COMP_CWORD == 2)); then
            COMPREPLY=($(compgen -W "$listed --help" -- "$cur"))
            if grep -qx -- "${path[0]}" <<<"$commands"; then COMPREPLY+=($(compgen -f -- "$cur")); fi
            return
        fi
        if grep -qx -- "${COMP_WORDS[2]}" <<<"$listed"; then path+=("${COMP_WORDS[2]}"); fi
    fi
    case ${path[0]} in
    help)
        COMPREPLY=($(compgen -W "$(sed 's/ .*//' <<<"$commands" | sort -u)" -- "$cur"))
        return
        ;;
    methods)
        _hedgerow_value "$tool" --method train && return
        ;;
    esac
    if [[ $previous == -o ]]; then previous=--output; fi
    if [[ $previous == --* ]] && _hedgerow_options "$tool" "${path[@]}" | grep -q -- "^$previous ."; then
        _hedgerow_value "$tool" "$previous" "${path[@]}"
        return
    fi
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$(_hedgerow_options "$tool" "${path[@]}" | cut -d' ' -f1)" -- "$cur"))
    else
        COMPREPLY=($(compgen -f -- "$cur"))
    fi
}

complete -o filenames -F _hedgerow hedgerow
