FROM node:20-slim AS build
WORKDIR /relay
COPY package.json package-lock.json ./
RUN npm ci
COPY prisma.config.ts tsconfig.json tsconfig.build.json ./
COPY prisma prisma
COPY src src
RUN npm run build && npm prune --omit=dev

FROM node:20-slim
ENV NODE_ENV=production DATA_DIR=/data
WORKDIR /relay
COPY --from=build /relay/package.json ./
COPY --from=build /relay/node_modules node_modules
COPY --from=build /relay/dist dist
COPY prisma prisma
RUN mkdir -m 700 /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# node itself is process 1, so that SIGTERM reaches it and the relay stops in order
CMD ["node", "dist/main.js"]
