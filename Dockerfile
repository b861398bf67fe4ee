FROM node:22-slim
WORKDIR /afluente
COPY . .
RUN npm ci && npm run build && npm prune --omit=dev
USER node
HEALTHCHECK --interval=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? 4000}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Not through npm, which ends at SIGTERM without waiting for the service.
CMD ["node", "--v8-pool-size=1", "dist/src/main.js"]
