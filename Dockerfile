# HInter on a server of one's own, for workers and for HF Jobs; a Space of the Hub does not use it.
#   docker build -t hinter . && docker run -p 7860:7860 -v hinter-data:/data hinter
FROM python:3.12-slim AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/hinter
ENV PATH=/opt/hinter/bin:$PATH
WORKDIR /src
# Packages first, so that a change of the code does not install them anew; torch without CUDA.
COPY constraints.txt requirements.txt requirements-mcp.txt ./
RUN pip install -c constraints.txt torch --index-url https://download.pytorch.org/whl/cpu \
 && pip install -c constraints.txt -r requirements.txt -r requirements-mcp.txt
COPY . .
RUN pip install -c constraints.txt hatchling hatch-requirements-txt \
 && pip install --no-deps --no-build-isolation .

FROM python:3.12-slim
LABEL org.opencontainers.image.title="HInter" org.opencontainers.image.licenses="Apache-2.0"
RUN useradd --create-home --uid 1000 hinter && mkdir /data && chown hinter /data
COPY --from=build /opt/hinter /opt/hinter
ENV PATH=/opt/hinter/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    HINTER_DATA=/data \
    GRADIO_SERVER_NAME=0.0.0.0 \
    GRADIO_SERVER_PORT=7860
USER 1000
WORKDIR /home/hinter
VOLUME /data
EXPOSE 7860
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=90s --retries=3 \
  CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:7860/readyz', timeout=4)"]
CMD ["hinter-app"]
