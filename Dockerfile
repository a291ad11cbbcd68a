# The service as a container image, for its embedded PostgreSQL (a volume at /data) or DATABASE_URL. Everything but
# /data and /tmp may be read-only:
#   docker build -t knowledge-retrieval .
#   docker run --init --read-only --tmpfs /tmp -v knowledge:/data -p 8080:8080 knowledge-retrieval
#   docker exec <container> knowledge-retrieval keys create        (other commands likewise)
# Several containers on one DATABASE_URL restart without a failed request with SHUTDOWN_DELAY_SECONDS above the
# balancer's interval, and a stop timeout (docker stop --time, stop_grace_period, terminationGracePeriodSeconds) of
# 10 s more.

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /source
COPY . .
RUN sh scripts/image.sh /app

FROM node:24.21.0-bookworm-slim
COPY --from=build /app /app
# A new volume takes over whose the directory is.
RUN ln -s /app/bin/knowledge-retrieval.mjs /usr/local/bin/knowledge-retrieval \
    && mkdir -m 711 /data && chown node:node /data
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
# The user `node`. Only from a number Kubernetes knows that it is not root.
USER 1000
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
# Whether it lives, not whether it is ready: a restart brings no database back. A worker needs WORKER_PORT for it.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.WORKER_PORT || process.env.PORT}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["knowledge-retrieval"]
CMD ["serve"]
