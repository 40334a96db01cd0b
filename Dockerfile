# A compiled program behind HTTP, see docs/how-to/serve-a-program.md. A folder with suite and program is mounted at /data.
FROM python:3.11-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY evals evals
COPY optimizers optimizers
COPY programs programs
COPY retrievers retrievers
COPY tools tools
COPY worksmith worksmith
COPY worksmith_suite worksmith_suite
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.11-slim
COPY requirements.lock /wheels/
COPY --from=build /wheels/*.whl /wheels/
# Every package in the release that was tested; torch for CPUs, because the one on PyPI brings CUDA.
RUN pip install --no-cache-dir --index-url https://download.pytorch.org/whl/cpu "$(grep '^torch==' /wheels/requirements.lock)" \
    && pip install --no-cache-dir --constraint /wheels/requirements.lock "$(ls /wheels/*.whl)[mcp,serve,vectors]" \
    && rm -r /wheels
RUN useradd --create-home --uid 10001 worksmith
USER worksmith
WORKDIR /data
EXPOSE 8450
ENTRYPOINT ["worksmith"]
CMD ["--help"]
