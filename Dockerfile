# Everything to build with; nothing of it but dist/ and dist-console/ comes into the image.
FROM node:24-slim AS build
WORKDIR /relay
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/
RUN npm ci
COPY prisma.config.ts tsconfig.json tsconfig.build.json ./
COPY prisma prisma
COPY tools/build.mjs tools/rolldown.config.mjs tools/
COPY tools/examples tools/examples
COPY src src
COPY console console
RUN npm run build

# What runs: the packages of production, without what is never read at run time (.ci/production-tree.mjs tries this tree)
FROM node:24-slim AS modules
WORKDIR /relay
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/
RUN npm ci --omit=dev
COPY tools/prune-image.mjs tools/
RUN node tools/prune-image.mjs node_modules

FROM node:24-slim
ENV NODE_ENV=production DATA_DIR=/data
WORKDIR /relay
COPY package.json ./
COPY --from=modules /relay/node_modules node_modules
COPY --from=build /relay/dist dist
COPY --from=build /relay/dist-console dist-console
COPY prisma/migrations prisma/migrations
COPY prisma/sql prisma/sql
RUN mkdir -m 700 /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# node itself is process 1, so that SIGTERM reaches it and the relay stops in order
CMD ["node", "dist/main.js"]
