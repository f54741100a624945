# The command, from the distribution's packages and this folder alone:
#
#   docker build -t amgsolve .
#   docker run --rm -v "$PWD":/work amgsolve problem.yaml
#
# BASE is Debian 12, Ubuntu 24.04 or newer; the command has the CPU backend.
ARG BASE=debian:12

FROM ${BASE} AS build
WORKDIR /source
COPY . .
RUN ./quickstart packages && apt-get install -y --no-install-recommends dpkg-dev file
RUN cmake -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release -DAMGSOLVE_UNITY_BUILD=ON -DAMGSOLVE_CUDA=OFF -DAMGSOLVE_BUILD_TESTS=OFF -DAMGSOLVE_BUILD_BENCHMARKS=OFF
RUN cmake --build /build && cpack --config /build/CPackConfig.cmake -G DEB -B /packages

FROM ${BASE}
COPY --from=build /packages/amgsolve_*.deb /packages/
RUN apt-get update && apt-get install -y --no-install-recommends /packages/*.deb && rm -rf /var/lib/apt/lists /packages
WORKDIR /work
ENTRYPOINT ["amgsolve"]
