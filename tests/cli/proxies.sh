# shellcheck shell=bash disable=SC2154  # tap.sh and service.sh have these
# nginx and HAProxy in front of the service. A script sources tap.sh and service.sh first, then this.

# nginx_before ADDRESS PORT [HEADER-LINE...]: nginx with plain proxy_pass, as everybody sets it up.
nginx_before() {
    local to=$1 port=$2
    shift 2
    mkdir -p nginx
    cat >nginx/nginx.conf <<CONF
daemon off; master_process off; pid nginx.pid; error_log error.log; worker_processes 1;
events { worker_connections 1000; }
http {
    access_log off; client_body_temp_path .; proxy_temp_path .; fastcgi_temp_path .; uwsgi_temp_path .; scgi_temp_path .;
    server { listen 127.0.0.1:$port; location / { proxy_pass http://$to; proxy_http_version 1.1; $* } }
}
CONF
    start nginx nginx -p "$PWD/nginx" -c nginx.conf -e error.log
    until_true curl -s -o /dev/null "http://127.0.0.1:$port/healthz"
}

# haproxy_before ADDRESS PORT [WORD-OF-SERVER...]: HAProxy in mode http, or what $haproxy_mode says.
haproxy_before() {
    local to=$1 port=$2
    shift 2
    cat >haproxy.cfg <<CONF
global
    maxconn 1000
    nbthread 1
defaults
    mode ${haproxy_mode:-http}
    timeout connect 5s
    timeout client 60s
    timeout server 60s
frontend here
    bind 127.0.0.1:$port
    default_backend there
backend there
    server service $to $*
CONF
    start haproxy haproxy -f haproxy.cfg
    until_true curl -s -k -o /dev/null "${haproxy_scheme:-http}://127.0.0.1:$port/healthz"
}
