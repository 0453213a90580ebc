#!/usr/bin/env bash
# build.sh <bundle.tar.gz> <archive.tar> [tag]: the image of ars-server without a registry, for Debian 12 or newer. As root.
# The base are packages of Debian 13, without a shell; Node comes from npm. The same inputs give the same digest.
# Needs mmdebstrap and npm; DEBIAN_MIRROR names another mirror of Debian. The Dockerfile beside it does the same where a registry can be reached.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bundle=$(readlink -f "$1")
archive=$(readlink -m "$2")
# The same as in .ci/run.
node_version=${NODE_VERSION:-24.21.0}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

name=$(tar -tzf "$bundle" | head -n 1 | tr -d /) || true
version=${name#ars-server-}
tag=${3:-localhost/ars-server:$version}
case $(uname -m) in x86_64) arch=x64 ;; aarch64) arch=arm64 ;; *) echo "No Node for $(uname -m)." >&2 && exit 1 ;; esac

root=$work/root
# --variant=extract unpacks the packages and runs none of their scripts: no package manager, no shell.
mmdebstrap --quiet --mode=root --variant=extract --include=libc6,libstdc++6,libgcc-s1,libatomic1,ca-certificates,base-files,netbase,tzdata \
  trixie "$root" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"}
cat "$root"/usr/share/ca-certificates/mozilla/*.crt >"$work/ca.crt"
# mmdebstrap copies the name and the resolver of this computer into the image.
rm -rf "$root"/{dev,proc,sys,run,tmp,boot,home,media,mnt,srv,root} "$root"/var/{backups,cache,lib,local,lock,log,mail,spool,tmp} \
  "$root"/usr/share/{doc,man,locale,info,lintian,bug,ca-certificates,bash-completion,debconf,perl5,gcc,gdb,dict,misc,pixmaps,base-files} \
  "$root"/usr/{sbin,bin,games,src,include} "$root"/usr/lib/ssl/misc "$root"/etc/{hostname,resolv.conf,fstab,skel,default,profile.d} \
  "$root"/etc/{apt,dpkg,ca-certificates,ca-certificates.conf,debconf.conf,issue,issue.net,update-motd.d,ssl/private}
mkdir -p "$root"/{proc,sys,dev,run,etc/ars} "$root"/usr/local/bin "$root"/etc/ssl/certs "$root"/usr/bin "$root"/usr/sbin
install -d -m 1777 "$root/tmp"
install -m 644 "$work/ca.crt" "$root/etc/ssl/certs/ca-certificates.crt"
printf 'root:x:0:0::/:/nonexistent\nars:x:65532:65532::/:/nonexistent\n' >"$root/etc/passwd"
printf 'root:x:0:\nars:x:65532:\n' >"$root/etc/group"

# The programs of Postgres that make and restore back-ups, with the libraries that they need. deploy/compose has this version of Postgres.
postgres=/usr/lib/postgresql/17/bin
mmdebstrap --quiet --mode=root --variant=extract --include=postgresql-17,base-files trixie "$work/postgres" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"}
loader=$(cd "$work/postgres" && compgen -G 'lib*/ld-linux-*.so.*' | head -n 1)
install -d "$root$postgres"
for program in pg_basebackup pg_receivewal pg_verifybackup pg_waldump; do
  install -m 755 "$work/postgres$postgres/$program" "$root$postgres/$program"
  chroot "$work/postgres" "/$loader" --list "$postgres/$program"
done | grep -o '/[^ ]*' | sort -u | while read -r library; do
  [ -e "$root$library" ] || install -D -m 644 "$(readlink -f "$work/postgres$library")" "$root$library"
done

(cd "$work" && npm pack --silent "node-linux-$arch@$node_version" >/dev/null && tar -xzf node-linux-*.tgz package/bin/node package/LICENSE)
install -m 755 "$work/package/bin/node" "$root/usr/local/bin/node"
install -d "$root/opt/ars"
tar -xzf "$bundle" -C "$root/opt/ars" --strip-components=1 --no-same-owner
install -m 644 "$work/package/LICENSE" "$root/opt/ars/NODE-LICENSE"
install -m 644 "$here/health.mjs" "$root/opt/ars/health.mjs"

# `docker load` and `podman load` read this archive. It is written here rather than by buildah, which puts a random id into every
# image that has a health check.
fixed=(--sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --format=gnu)
mkdir "$work/image"
tar --create --file="$work/image/layer.tar" "${fixed[@]}" -C "$root" .
layer=$(sha256sum "$work/image/layer.tar" | cut -d ' ' -f 1)
mv "$work/image/layer.tar" "$work/image/$layer.tar"
cat >"$work/config.json" <<JSON
{"architecture":"$(dpkg --print-architecture)","os":"linux","created":"1970-01-01T00:00:00Z",
"config":{"User":"65532:65532","WorkingDir":"/opt/ars","Entrypoint":["/usr/local/bin/node","/opt/ars/main.mjs"],"Cmd":["serve"],
"Env":["NODE_ENV=production","PATH=/usr/local/bin"],"ExposedPorts":{"8443/tcp":{}},"StopSignal":"SIGTERM",
"Healthcheck":{"Test":["CMD","/usr/local/bin/node","/opt/ars/health.mjs"],"Interval":5000000000,"Timeout":10000000000,"StartPeriod":30000000000,"Retries":3},
"Labels":{"org.opencontainers.image.title":"ars-server","org.opencontainers.image.version":"$version","org.opencontainers.image.licenses":"Apache-2.0","org.opencontainers.image.source":"https://github.com/agent-run-service/agent-run-service",
"org.opencontainers.image.description":"Agent Run Service: gateway and worker"}},
"rootfs":{"type":"layers","diff_ids":["sha256:$layer"]},"history":[{"created":"1970-01-01T00:00:00Z","created_by":"deploy/image/build.sh"}]}
JSON
digest=$(sha256sum "$work/config.json" | cut -d ' ' -f 1)
mv "$work/config.json" "$work/image/$digest.json"
echo "[{\"Config\":\"$digest.json\",\"RepoTags\":[\"$tag\",\"${tag%:*}:latest\"],\"Layers\":[\"$layer.tar\"]}]" >"$work/image/manifest.json"
tar --create --file="$archive" "${fixed[@]}" -C "$work/image" "$digest.json" "$layer.tar" manifest.json
echo "$tag sha256:$digest, $(du -sm --apparent-size "$root" | cut -f 1) MB unpacked"
