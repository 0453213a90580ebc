# Functions for trying the service in a terminal: sh, bash and zsh. The file `env` of the stack sets the variables and reads this file.

# call PATH [curl options…]: calls the API. A PATH that begins with / is below $ARS_BASE_URL.
# The status is 22 when the response is an error; its body is printed all the same.
call() {
  case ${1-} in
    /*) _ars_url=$ARS_BASE_URL$1 ;;
    https://*) _ars_url=$1 ;;
    *)
      echo "call: '${1-}' is not a path. Example: call /runs" >&2
      return 2
      ;;
  esac
  shift
  curl -sSN --fail-with-body -w '\n' -H "Authorization: Bearer $ARS_API_KEY" -H 'Content-Type: application/json' \
    "$@" "$_ars_url"
}

# agent NAME: prints the id of the active agent with exactly this name.
agent() {
  _ars_after=
  while :; do
    if ! _ars_page=$(call "/agents?status=active&limit=100$_ars_after" -G --data-urlencode "q=${1-}"); then
      printf '%s\n' "$_ars_page" >&2
      return 1
    fi
    _ars_found=$(printf '%s' "$_ars_page" | node -e '
      const { data, has_more } = JSON.parse(fs.readFileSync(0, "utf8"))
      const found = data.find(({ name }) => name === process.argv[1])
      console.log(found ? found.id : has_more ? `&after=${data.at(-1).id}` : "")' -- "${1-}")
    case $_ars_found in
      '&'*) _ars_after=$_ars_found ;;
      '')
        echo "agent: no active agent is named '${1-}'. List them with: ars agents list" >&2
        return 1
        ;;
      *)
        printf '%s\n' "$_ars_found"
        return 0
        ;;
    esac
  done
}

# field PATH: reads JSON from stdin and prints the value at a dotted path, such as data.0.id.
# Strings are printed as they are, everything else as JSON.
field() {
  node -e '
    const text = fs.readFileSync(0, "utf8")
    const fail = (message) => {
      console.error(`field: ${message}`)
      process.exit(1)
    }
    const parse = () => {
      try {
        return JSON.parse(text)
      } catch {
        return fail(text.trim() ? `stdin is not JSON: ${text.slice(0, 200)}` : "stdin is empty")
      }
    }
    const path = process.argv[1] ?? ""
    const keys = path === "" ? [] : path.split(".")
    const value = keys.reduce((at, key) => at?.[key], parse())
    if (value === undefined) fail(`no value at ${path} in ${text.slice(0, 200)}`)
    console.log(typeof value === "string" ? value : JSON.stringify(value))' -- "${1-}"
}

# ars …: the command line.
ars() {
  node "$_ars_program" "$@"
}
