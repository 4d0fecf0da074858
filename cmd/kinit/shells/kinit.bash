# Completion of kinit in bash: source this file, or put it into
# /etc/bash_completion.d.
_kinit() {
  local line value=
  # bash takes --flag=value apart and completes the value alone.
  if [[ ${COMP_WORDS[COMP_CWORD]} == = || ${COMP_WORDS[COMP_CWORD-1]} == = ]]; then
    value=yes
  fi
  COMPREPLY=()
  while IFS= read -r line; do
    line="${line%%$'\t'*}"
    if [[ $value ]]; then line="${line#*=}"; fi
    COMPREPLY+=("$line")
  done < <("${COMP_WORDS[0]}" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  # A folder is not the end of a name.
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -o default -F _kinit kinit
