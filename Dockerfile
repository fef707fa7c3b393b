# The image of Weir, as `npm run image` builds it without Docker: scripts/image/ chooses the files of both.
#   docker build -t weir .
#   docker buildx build --platform linux/amd64,linux/arm64 -t weir .

# The build runs on the builder's own architecture and compiles for the target's.
FROM --platform=$BUILDPLATFORM node:22-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
ARG TARGETARCH
RUN npm run image -- --arch=${TARGETARCH} --root=/root-of-image

FROM scratch
COPY --from=build /root-of-image/ /
# COPY gives files to root; the volume belongs to the user.
COPY --from=build --chown=65532:65532 /root-of-image/data /data
ENV PATH=/usr/bin HOME=/data WEIR_HOST=0.0.0.0 WEIR_DATA=/data
# As bin/runtime-variables.js has them.
ENV BUN_CONFIG_MAX_HTTP_REQUESTS=65535 MIMALLOC_PURGE_DELAY=1000 MIMALLOC_PURGE_HOLES_MIN_INTERVAL=5000 \
    BUN_JSC_startupJITDeferralScale=3 BUN_JSC_largeHeapSize=33554432
USER 65532:65532
WORKDIR /etc/weir
EXPOSE 8787
VOLUME /data
STOPSIGNAL SIGTERM
LABEL org.opencontainers.image.title="Weir" org.opencontainers.image.licenses="MIT"
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s --retries=3 CMD ["/usr/bin/weir", "health"]
ENTRYPOINT ["/usr/bin/weir"]
CMD ["serve"]
