# One image for all three commands: `api`, `worker` and `dealflow` (whose `migrate` the compose file runs first).
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -tags=nomsgpack -trimpath -ldflags='-s -w' -o /out/ ./cmd/api ./cmd/worker ./cmd/dealflow \
 && mkdir -p /out/files /out/cache

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/api /out/worker /out/dealflow /bin/
# Folders that volumes are mounted on take their owner from here.
COPY --from=build --chown=65532:65532 /out/files /files
COPY --from=build --chown=65532:65532 /out/cache /cache
USER 65532:65532
ENTRYPOINT ["/bin/api"]
