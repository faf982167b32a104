#!/bin/sh
# Checks the manifests of packaging/kubernetes by Kubernetes' own schemas, and runs here what they start; and renders the recipe for conda.
# Needs PyPI and nats-server.
# usage: tools/kubernetes.sh FOLDER HEDGEROW
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
[ -x "$folder/kubernetes/bin/python" ] || python3 -m venv "$folder/kubernetes"
"$folder/kubernetes/bin/python" -m pip --quiet --disable-pip-version-check install kubernetes-validate py-rattler-build pyyaml
"$folder/kubernetes/bin/python" tests/packaging/kubernetes.py "$2" packaging/kubernetes
"$folder/kubernetes/bin/python" tests/packaging/recipe.py .
