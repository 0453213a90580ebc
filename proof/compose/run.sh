#!/usr/bin/env bash
# run.sh [image.tar]: on Debian, as root, without a registry: builds the bundle, the image and stand-ins for the images of Postgres, Redis and
# Restate; starts deploy/compose on a Docker engine of this script; makes a first run and a first login to the dashboard; replaces
# every gateway and worker beside calls and streams; restores the back-up that the service took itself; stops. Attacks the image from
# outside, and from inside of its processes. It builds the image unless one is named.
# Needs docker.io, mmdebstrap, iptables, curl and Node with pnpm. Says at the end how long each step took.
set -euo pipefail
cd "$(dirname "$0")/../.."
image=${1:+$(readlink -f "$1")}
work=$(mktemp -d /tmp/ars-compose-XXXXXX)
chmod 711 "$work"
export DOCKER_HOST=unix://$work/docker.sock DOCKER_CONFIG=$work/docker-config
port=${ARS_COMPOSE_PORT:-8860}
steps=()
traffic=''
# The engine changes both, and leaves them so.
forwarding=$(iptables -S FORWARD | head -n 1)
bridge=$(ls -d /sys/class/net/docker0 2>/dev/null) || true
clean_up() {
  local status=$?
  if [ "$status" -ne 0 ]; then
    tail -n 5 "$work/docker.log" >&2 || true
    [ ! -e "$work/ars/compose.yaml" ] || (cd "$work/ars" && docker compose ps --all && docker compose logs --tail 15) >&2 || true
  fi
  [ -z "$traffic" ] || kill "$traffic" 2>/dev/null || true
  [ ! -e "$work/visitor/compose.yaml" ] || (cd "$work/visitor" && { [ "$status" -eq 0 ] || docker compose logs --tail 15 >&2; docker compose down --volumes --timeout 10 >/dev/null 2>&1; }) || true
  [ ! -e "$work/ars/compose.yaml" ] || (cd "$work/ars" && docker compose down --volumes --timeout 10 >/dev/null 2>&1) || true
  [ ! -s "$work/docker.pid" ] || kill "$(cat "$work/docker.pid")"
  [ -z "${engine:-}" ] || wait "$engine" || true
  # shellcheck disable=SC2086
  iptables $forwarding || true
  [ -n "$bridge" ] || ip link delete docker0 2>/dev/null || true
  rm -rf "$work"
}
trap clean_up EXIT
step() {
  local heading=$1 begun=$SECONDS
  shift
  echo "== $heading"
  "$@"
  steps+=("$heading: $((SECONDS - begun)) s")
}

start_engine() {
  # A container may not raise its limits above those of this machine.
  dockerd --host "$DOCKER_HOST" --data-root "$work/docker" --exec-root "$work/exec" --pidfile "$work/docker.pid" \
    --default-ulimit nofile=8192:8192 --default-ulimit nproc=8192:8192 >"$work/docker.log" 2>&1 &
  engine=$!
  for _ in $(seq 300); do
    docker version >/dev/null 2>&1 && break
    sleep 0.2
  done
  docker version --format 'Docker {{.Server.Version}}'
}

build_server() {
  if [ -n "$image" ]; then
    docker load --quiet --input "$image"
    return
  fi
  node tools/image/main.ts "$work"
}

# run_inside <command> <secrets...>: plays inside.ts in a container.
run_inside() {
  $1 /usr/local/bin/node --input-type=module-typescript - "${@:2}" <proof/compose/inside.ts
}

attack_image() {
  docker save --output "$work/saved.tar" localhost/ars-server
  node proof/compose/image-files.ts "$work/saved.tar" "$work/saved"
  rm -rf "$work/saved" "$work/saved.tar"
  run_inside 'docker run --rm --interactive --entrypoint= localhost/ars-server'
}

# import_image <folder> <name> <changes...>
import_image() {
  tar -C "$1" -c . | docker import "${@:3}" - "localhost/$2" >/dev/null
}

# Stand-ins that take the same settings as the official images: Postgres and Redis of Debian 13, whose major versions are those of
# compose.yaml, and the engine from npm.
build_others() {
  local debian=$work/debian restate=$work/restate
  mmdebstrap --quiet --mode=root --variant=extract --include=postgresql-17,redis-server,redis-tools,coreutils,base-files,dash,tzdata \
    trixie "$debian" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"} 2>/dev/null
  rm -rf "$debian"/{dev,proc,sys} "$debian"/usr/share/{doc,man,locale} "$debian"/var/{cache,lib/apt}
  install -D -m 755 proof/compose/postgres-entry "$debian/usr/local/bin/postgres-entry"
  ln -sf dash "$debian/usr/bin/sh"
  install -d -m 1777 "$debian/tmp"
  install -d -o 65532 -g 65532 -m 700 "$debian/var/lib/postgresql/data"
  echo 'ars:x:65532:65532::/:/bin/false' >"$debian/etc/passwd"
  import_image "$debian" ars-postgres --change 'ENV PATH=/usr/lib/postgresql/17/bin:/usr/bin' --change 'USER 65532' --change 'ENTRYPOINT ["/usr/local/bin/postgres-entry"]'
  import_image "$debian" ars-redis --change 'ENV PATH=/usr/bin'
  rm -rf "$debian"
  mkdir -p "$restate"/{restate-data,etc/ssl/certs,usr/local/bin}
  cp "$(node -p "const {createRequire:r}=require('module');r(r(process.cwd()+'/tools/x').resolve('@restatedev/restate-server/package.json')).resolve('@restatedev/restate-server-linux-x64/bin/restate-server')")" "$restate/usr/local/bin/"
  # Without certificates the engine does not start, although it calls nobody.
  cp /etc/ssl/certs/ca-certificates.crt "$restate/etc/ssl/certs/"
  import_image "$restate" ars-restate --change 'ENTRYPOINT ["/usr/local/bin/restate-server"]'
}

# Debian 12 has no Compose 2; the program of Debian 13 runs there, too.
get_compose() {
  if docker compose version 2>/dev/null; then return; fi
  mmdebstrap --quiet --mode=root --variant=extract --include=docker-compose trixie "$work/compose" 2>/dev/null
  mkdir -p "$DOCKER_CONFIG/cli-plugins"
  mv "$work/compose/usr/libexec/docker/cli-plugins/docker-compose" "$DOCKER_CONFIG/cli-plugins/"
  rm -rf "$work/compose"
  docker compose version
}

start_service() {
  docker run --rm --user 0:0 --volume "$work:/out" localhost/ars-server init /out/ars --public-url "https://localhost:$port"
  cat >>"$work/ars/.env" <<IMAGES
ARS_POSTGRES_IMAGE=localhost/ars-postgres
ARS_REDIS_IMAGE=localhost/ars-redis
ARS_RESTATE_IMAGE=localhost/ars-restate
IMAGES
  # A busy machine must not fail a proof that is not about this bound.
  echo 'ARS_DATABASE_ACQUIRE_TIMEOUT_MS=30000' >>"$work/ars/settings.env"
  (cd "$work/ars" && start_all)
}

start_all() {
  docker compose up --detach --wait --quiet-pull >"$work/up.log" 2>&1 || { tail -n 5 "$work/up.log" >&2 && return 1; }
  grep ' Healthy' "$work/up.log" | sort -u
}

# Until the first base back-up has ended, it finds none.
ask_doctor() {
  for _ in $(seq 60); do
    docker compose run --rm -T admin doctor >"$work/doctor.txt" && break
    sleep 2
  done
  cat "$work/doctor.txt"
  tail -n 1 "$work/doctor.txt" | grep -q 'All checks passed'
}

try_service() {
  local key agent answer
  (cd "$work/ars" && docker compose run --rm -T admin admin seed --owner-file /run/secrets/owner --json >"$work/seed.json")
  read -r key agent < <(node -p 'const s = require(process.argv[1]); s.api_key + " " + s.agents.find(({ name }) => name === "test-echo").id' "$work/seed.json")
  local curl=(curl --silent --show-error --fail --cacert "$work/ars/tls/cert.pem")
  answer=$("${curl[@]}" "https://localhost:$port/v2/runs" -H "authorization: Bearer $key" -H 'content-type: application/json' \
    -d "{\"agent_id\":\"$agent\",\"input\":{\"text\":\"hello\"}}")
  grep -q '"status":"completed"' <<<"$answer"
  echo 'first run: completed'
  "${curl[@]}" --output /dev/null "https://localhost:$port/dashboard/"
  "${curl[@]}" --output /dev/null "https://localhost:$port/v2/api/auth/login" -H "origin: https://localhost:$port" -H 'content-type: application/json' \
    -d @"$work/ars/owner.json"
  echo 'first login: accepted'
  (cd "$work/ars" && ask_doctor)
}

check_processes() {
  local id service main process uid
  for service in postgres redis restate backup worker-1 worker-2 port gateway-1 gateway-2; do
    id=$(cd "$work/ars" && docker compose ps --quiet "$service")
    main=$(docker inspect --format '{{.State.Pid}}' "$id")
    for process in /proc/[0-9]*; do
      [ "$(readlink "$process/ns/pid")" = "$(readlink "/proc/$main/ns/pid")" ] || continue
      uid=$(awk '$1 == "Uid:" { print $3 }' "$process/status")
      [ "$uid" != 0 ] || { echo "$service: a process runs as root" >&2 && return 1; }
    done
    case $service in gateway-* | worker-*) ;; *) continue ;; esac
    [ "$uid" = 65532 ]
    read -r memory cpus < <(docker inspect --format '{{.HostConfig.Memory}} {{.HostConfig.NanoCPUs}}' "$id")
    [ "$memory" -gt 0 ] && [ "$cpus" -gt 0 ]
    [ "$(awk '/^Cap(Prm|Eff|Bnd|Amb)/ { print $2 }' "/proc/$main/status" | sort -u)" = 0000000000000000 ]
    [ "$(docker inspect --format '{{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}}' "$id")" = 'true [ALL]' ]
  done
  echo 'processes as root: 0. Gateway and worker: user 65532, read-only file system, no capabilities, limits of memory and CPU'
}

# What somebody reaches who executes code in a gateway or a worker.
attack_processes() {
  local compose="docker compose --project-directory $work/ars exec --no-TTY" shared=(database-url database-auth-url database-feed-url redis-url kek)
  run_inside "$compose gateway-1" "${shared[@]}"
  run_inside "$compose worker-1" "${shared[@]}" database-system-url
}

# docs/operate/install.md shows the same commands.
replace_processes() {
  local service
  node proof/compose/traffic.ts "$port" "$work/ars/tls/cert.pem" "$work/seed.json" >"$work/traffic.log" &
  traffic=$!
  until grep -q begun "$work/traffic.log"; do sleep 0.2; done
  for service in worker-1 worker-2 gateway-1 gateway-2; do
    (cd "$work/ars" && docker compose up --detach --wait --no-deps --force-recreate "$service" 2>&1 | tail -n 1)
  done
  kill "$traffic"
  wait "$traffic" || { cat "$work/traffic.log" >&2 && return 1; }
  traffic=''
  cat "$work/traffic.log"
}

run_agent() {
  local key agent
  read -r key agent < <(node -p 'const s = require(process.argv[1]); s.api_key + " " + s.agents.find(({ name }) => name === "test-echo").id' "$work/seed.json")
  curl --silent --show-error --fail --cacert "$work/ars/tls/cert.pem" "https://localhost:$port/v2/runs" -H "authorization: Bearer $key" \
    -H 'content-type: application/json' -H "idempotency-key: $1" -d "{\"agent_id\":\"$agent\",\"input\":{\"text\":\"hello\"}}" | grep -o '"id":"run_[^"]*"'
}

# docs/operate/backup.md shows the same commands. The service took its base back-up when it started.
restore_backup() {
  local before after
  before=$(run_agent before-the-loss)
  cd "$work/ars"
  ask_doctor | grep back-up
  # Longer than the time between two looks at the archive.
  sleep 25
  docker compose down --timeout 40 2>&1 | tail -n 1
  docker compose run --rm --no-deps -T restore 2>&1 | tail -n 12 | head -n 3
  echo ARS_DATABASE_FOLDER=restored >>.env
  mv data/backups data/backups-before && install -d -m 750 -o 65532 -g 65532 data/backups
  start_all
  cd - >/dev/null
  # The same key finds the run from before, in the restored folder.
  after=$(run_agent before-the-loss)
  [ "$before" = "$after" ]
  run_agent after-the-restore
  test -f "$work/ars/data/postgres/restored/PG_VERSION"
  echo 'the run from before the loss is there, and a new one completes'
}

# deploy/compose/try.yaml shows the same commands.
try_as_visitor() {
  local agent
  mkdir "$work/visitor"
  cp deploy/compose/try.yaml "$work/visitor/compose.yaml"
  cat >"$work/visitor/.env" <<IMAGES
ARS_IMAGE=localhost/ars-server
ARS_POSTGRES_IMAGE=localhost/ars-postgres
ARS_RESTATE_IMAGE=localhost/ars-restate
ARS_PORT=$port
IMAGES
  cd "$work/visitor"
  docker compose up --wait --quiet-pull 2>&1 | grep ' Healthy' | sort -u
  docker compose cp service:/etc/ars/client ars && . ars/env
  agent=$(curl -sf "$ARS_BASE_URL/agents?q=test-echo" -H "Authorization: Bearer $ARS_API_KEY" | grep -o 'ag_[0-9a-z]*' | head -n 1)
  curl -sf "$ARS_BASE_URL/runs" -H "Authorization: Bearer $ARS_API_KEY" -H 'Content-Type: application/json' \
    -d '{"agent_id":"'"$agent"'","input":{"query":"Hello"}}' | grep -q '"status":"completed"'
  echo 'first run: completed'
  docker compose down 2>&1 | tail -n 1
  docker compose up --wait --quiet-pull 2>&1 | grep ' Healthy' | sort -u
  test "$(curl -sf "$ARS_BASE_URL/runs" -H "Authorization: Bearer $ARS_API_KEY" | grep -o '"id":"run_' | wc -l)" = 1
  echo 'after down and up: the run is there'
  docker compose logs 2>/dev/null | grep -F "$ARS_API_KEY" && { echo 'a log has the API key' >&2 && return 1; }
  docker compose down --volumes --timeout 10 2>&1 | tail -n 1
  cd - >/dev/null
  unset ARS_BASE_URL ARS_API_KEY ARS_CA_FILE NODE_EXTRA_CA_CERTS CURL_CA_BUNDLE
}

stop_service() { (cd "$work/ars" && docker compose down --volumes 2>&1 | tail -n 1); }

step 'Docker engine' start_engine
step 'bundle and image' build_server
step 'attack on the image' attack_image
step 'download of Compose' get_compose
step 'images of Postgres, Redis and Restate' build_others
step 'init and compose up' start_service
step 'first run and login' try_service
step 'users and rights' check_processes
step 'attack from inside of processes' attack_processes
step 'new gateways and workers beside traffic' replace_processes
step 'back-up and restore into a second folder' restore_backup
step 'stop' stop_service
step 'one file of a visitor' try_as_visitor
printf '%s\n' "${steps[@]}" "in all: $SECONDS s"
