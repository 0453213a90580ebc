#!/usr/bin/env bash
# run.sh: on Debian, as root, without a registry: builds the bundle, the image and stand-ins for the images of Postgres, Redis and
# Restate; starts deploy/compose on a Docker engine of this script; makes a first run and a first login to the dashboard; stops.
# Needs docker.io, mmdebstrap, iptables and Node with pnpm. Says at the end how long each step took.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d /tmp/ars-compose-XXXXXX)
chmod 711 "$work"
export DOCKER_HOST=unix://$work/docker.sock DOCKER_CONFIG=$work/docker-config
port=${ARS_COMPOSE_PORT:-8860}
steps=()
clean_up() {
  [ ! -e "$work/ars/compose.yaml" ] || (cd "$work/ars" && docker compose down --volumes --timeout 10 >/dev/null 2>&1) || true
  [ ! -s "$work/docker.pid" ] || kill "$(cat "$work/docker.pid")"
  [ -z "${engine:-}" ] || wait "$engine" || true
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
  # Debian 12 has no Compose 2; the program of Debian 13 runs there, too.
  if ! docker compose version 2>/dev/null; then
    mmdebstrap --quiet --mode=root --variant=extract --include=docker-compose trixie "$work/compose" 2>/dev/null
    mkdir -p "$DOCKER_CONFIG/cli-plugins"
    cp "$work/compose/usr/libexec/docker/cli-plugins/docker-compose" "$DOCKER_CONFIG/cli-plugins/"
    docker compose version
  fi
}

build_server() {
  node -e "import('./tools/release/server-bundle.ts').then(({ buildServerBundle }) => buildServerBundle(process.cwd(), process.argv[1]))" "$work"
  deploy/image/build.sh "$work"/server/ars-server-*.tar.gz "$work/image.tar"
  docker load --quiet --input "$work/image.tar"
}

# They take the same settings as the official images.
build_others() {
  mmdebstrap --quiet --mode=root --variant=essential --include=postgresql-17,redis-server,redis-tools \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --customize-hook='copy-in proof/compose/postgres-entry /usr/local/bin' --customize-hook='chmod 755 "$1/usr/local/bin/postgres-entry"' \
    --customize-hook='mkdir -p "$1/var/lib/postgresql/data"' --customize-hook='chroot "$1" chown postgres /var/lib/postgresql/data' \
    trixie "$work/parts.tar" 2>/dev/null
  docker import --change 'ENV PATH=/usr/lib/postgresql/17/bin:/usr/local/bin:/usr/bin:/bin' \
    --change 'ENTRYPOINT ["/usr/local/bin/postgres-entry"]' "$work/parts.tar" localhost/ars-postgres:17 >/dev/null
  docker import --change 'ENV PATH=/usr/bin:/bin' "$work/parts.tar" localhost/ars-redis:8 >/dev/null
  mkdir -p "$work/restate"/{restate-data,tmp,etc/ssl/certs,usr/local/bin}
  cp "$(node -p "const {createRequire:r}=require('module');r(r(process.cwd()+'/tools/x').resolve('@restatedev/restate-server/package.json')).resolve('@restatedev/restate-server-linux-x64/bin/restate-server')")" "$work/restate/usr/local/bin/"
  # Without certificates the engine does not start, although it calls nobody.
  cp /etc/ssl/certs/ca-certificates.crt "$work/restate/etc/ssl/certs/"
  chown -R 65532:65532 "$work/restate/restate-data" "$work/restate/tmp"
  tar -C "$work/restate" -c . | docker import --change 'ENTRYPOINT ["/usr/local/bin/restate-server"]' --change 'USER 65532:65532' - localhost/ars-restate:1.7.12 >/dev/null
}

start_service() {
  docker run --rm --user 0:0 --volume "$work:/out" "localhost/ars-server:$version" init /out/ars --public-url "https://localhost:$port"
  cat >>"$work/ars/.env" <<IMAGES
ARS_POSTGRES_IMAGE=localhost/ars-postgres:17
ARS_REDIS_IMAGE=localhost/ars-redis:8
ARS_RESTATE_IMAGE=localhost/ars-restate:1.7.12
IMAGES
  (cd "$work/ars" && docker compose up --detach --wait --quiet-pull 2>&1 | grep -v ' Creat\| Starting\| Waiting' || docker compose logs --tail 20)
}

try_service() {
  local seed key agent answer
  seed=$(cd "$work/ars" && docker compose run --rm -T admin admin seed --owner-file /etc/ars/owner.json --json)
  read -r key agent < <(node -e 'const s = JSON.parse(process.argv[1]); console.log(s.api_key, s.agents.find(({ name }) => name === "test-echo").id)' "$seed")
  local curl=(curl --silent --show-error --fail --cacert "$work/ars/tls/cert.pem")
  answer=$("${curl[@]}" "https://localhost:$port/v2/runs" -H "authorization: Bearer $key" -H 'content-type: application/json' \
    -d "{\"agent_id\":\"$agent\",\"input\":{\"text\":\"hello\"}}")
  grep -q '"status":"completed"' <<<"$answer"
  echo 'first run: completed'
  "${curl[@]}" --output /dev/null "https://localhost:$port/dashboard/"
  "${curl[@]}" --output /dev/null "https://localhost:$port/v2/api/auth/login" -H "origin: https://localhost:$port" -H 'content-type: application/json' \
    -d @"$work/ars/owner.json"
  echo 'first login: accepted'
  (cd "$work/ars" && docker compose run --rm -T admin doctor)
}

check_processes() {
  local id
  for service in gateway worker; do
    id=$(cd "$work/ars" && docker compose ps --quiet "$service")
    [ "$(docker top "$id" -eo pid,uid | awk 'NR > 1 { print $2 }' | sort -u)" = 65532 ]
    [ "$(docker inspect --format '{{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}} {{.State.Health.Status}}' "$id")" = 'true [ALL] healthy' ]
  done
  echo 'gateway and worker: user 65532, read-only file system, no capabilities, healthy'
}

stop_service() { (cd "$work/ars" && docker compose down --volumes 2>&1 | tail -n 1); }

version=$(node -p "require('./package.json').version")
step 'Docker engine' start_engine
step 'bundle and image' build_server
step 'images of Postgres, Redis and Restate' build_others
step 'init and compose up' start_service
step 'first run and login' try_service
step 'users and rights' check_processes
step 'stop' stop_service
printf '%s\n' "${steps[@]}" "in all: $SECONDS s"
