"""nginx in front of other servers, configured like PairSpot's own."""

import os
import subprocess
import time

from .processes import APART
from .site import free_port


def start_nginx(folder, locations, upstreams="", user="root", log=False):
    """A port on which nginx serves these locations, and its process. With a log it writes a line
    a request, buffered, which is the cheapest equivalent of the log of PairSpot's handlers."""
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    temporary = "\n".join(
        f"{kind}_temp_path {folder}/{kind};"
        for kind in ("client_body", "fastcgi", "proxy", "uwsgi", "scgi"))
    lines = f"{folder}/access.log combined buffer=64k flush=1s" if log else "off"
    user_line = f"user {user};" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(f"""
{user_line} daemon off; worker_processes 2; pid {folder}/pid; error_log {folder}/error.log;
worker_rlimit_nofile 8192;
events {{ worker_connections 4096; }}
http {{
  access_log {lines}; {temporary} sendfile on; tcp_nopush on; default_type text/html;
  keepalive_timeout 60s; keepalive_requests 1000;
  fastcgi_buffer_size 16k; fastcgi_buffers 16 16k; fastcgi_keep_conn off;
  client_max_body_size 9m; client_body_buffer_size 64k;
  proxy_buffer_size 16k; proxy_buffers 16 16k; proxy_http_version 1.1;
  gzip on; gzip_min_length 512;
  {upstreams}
  server {{ listen 127.0.0.1:{port}; root {folder}; {locations} }}
}}
""")
    process = subprocess.Popen(
        ["/usr/sbin/nginx", "-p", folder, "-c", folder / "nginx.conf"], **APART)
    time.sleep(0.5)
    return port, process
