# llama.cpp's own server: the model's file, the port, and --embeddings for one that makes vectors.
if [ "$3" = --embeddings ]; then set -- "$1" "$2" --embeddings --pooling mean; fi
model=$1; port=$2; shift 2
exec llama-server -m "$model" --host 127.0.0.1 --port "$port" -c 16384 -np 2 -n 200 -t 1 -tb 1 --jinja --no-warmup "$@"
