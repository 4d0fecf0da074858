#compdef kinit
# Completion of kinit in zsh: put this file as _kinit into a folder of $fpath.
_kinit() {
  local line
  local -a plain folders
  while IFS= read -r line; do
    line="${line%%$'\t'*}"
    if [[ $line == */ ]]; then folders+=("$line"); else plain+=("$line"); fi
  done < <("${words[1]}" __complete -- "${(@)words[2,$CURRENT]}" 2>/dev/null)
  if (( ${#plain} + ${#folders} == 0 )); then
    _files
    return
  fi
  (( ${#plain} )) && compadd -- "${plain[@]}"
  (( ${#folders} )) && compadd -S '' -- "${folders[@]}"
}
if [[ $funcstack[1] == _kinit ]]; then
  _kinit "$@"
else
  compdef _kinit kinit
fi
