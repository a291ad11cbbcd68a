#!/bin/sh
# Fills a new directory with the content of the container image: the package and the dependencies of the lock file.
set -eu

usage='Usage: sh scripts/image.sh [--help] DIRECTORY
Packs the package, and installs it into the new DIRECTORY with the dependencies of the lock file.'
refuse() {
  printf 'error: %s\n%s\n' "$1" "$usage" >&2
  exit 1
}

case "${1-}" in
  --help | -h) printf '%s\n' "$usage"; exit ;;
  -*) refuse "unknown option '$1'" ;;
  '') refuse 'the directory is missing' ;;
esac
[ $# -eq 1 ] || refuse "one directory is expected, not also '$2'"
[ ! -e "$1" ] || refuse "$1 exists already"

mkdir "$1"
npm pack --pack-destination "$1"
mkdir "$1/scripts"
cp package-lock.json "$1"
cp -R scripts/left-out "$1/scripts"
cd "$1"
tar -xzf ./*.tgz --strip-components=1
npm ci --omit=dev --no-audit --no-fund
# The packages of S3 and of traces too: an image has to run with every setting.
peers='Object.entries(require("./package.json").peerDependencies).map((peer) => peer.join("@")).join(" ")'
# shellcheck disable=SC2046 # a word for each package
npm install --no-save --save-prod --omit=dev --no-audit --no-fund $(node -p "$peers")
# The base image has Node. Only debuggers and compilers read the files that are deleted last.
rm -r ./*.tgz package-lock.json node_modules/.bin
find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
