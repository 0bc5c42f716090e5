
_sprag_words_with_colons() {
    local typed="${COMP_LINE:0:COMP_POINT}"
    local word="${typed##*[[:space:]]}"
    if [[ "$word" != *:* ]]; then
        _clap_complete_sprag "$@"
        return
    fi
    read -r -a COMP_WORDS <<< "$typed"
    COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
    _clap_complete_sprag "$1" "$word" "$3"
    COMPREPLY=( "${COMPREPLY[@]#"${word%"${word##*:}"}"}" )
}
if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -o nospace -o bashdefault -o nosort -F _sprag_words_with_colons sprag
else
    complete -o nospace -o bashdefault -F _sprag_words_with_colons sprag
fi
