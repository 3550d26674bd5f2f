#!/bin/sh
# Sends a signed test sale. Needs curl, openssl and od, and RELAY_URL, KEY_ID and SECRET in the environment.
set -eu
key=${TRANSACTION_KEY:-T-$(date +%s)} # the terminal's own id of the sale: the same in every repeat
body='{"transactionKey":"'$key'","storeCode":"'${STORE_CODE:-}'","isTestTransaction":true,"totalAmount":79.8,
 "items":[{"itemCode":"PZ-01","itemName":"Pizza Margherita","quantity":2,"price":39.9}],
 "payments":[{"tenderType":16,"amount":79.8}]}'
secret=$(printf %s "${SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
headers=$(mktemp) && trap 'rm -f "$headers"' EXIT
wait=0 pause=1 try=0
while [ $((try += 1)) -le "${TRIES:-8}" ]; do
  sleep "$wait"
  : > "$headers"
  now=$(date +%s) # each repeat is signed again: an old signature is refused
  signature=$(printf %s "$key.$now.$body" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$secret" -binary | openssl base64 -A)
  answer=$(curl -sS -m 15 -D "$headers" -w '\n%{http_code}' "$RELAY_URL/webhooks/terminal/$KEY_ID" \
    -H 'Content-Type: application/json' -H "webhook-id: $key" -H "webhook-timestamp: $now" \
    -H "webhook-signature: v1,$signature" --data-binary "$body") || answer=000 # no answer
  case $answer in
    *'"code":"DUPLICATE_TRANSACTION"'*400|*'"jobId"'*200) echo "stored: $answer"; exit ;;
    *000|*408|*429|*5??) ;; # it may not be stored: the same sale again
    *) echo "refused: $answer" >&2; exit 1 ;; # a person has to look at it
  esac
  after=$(sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9]*\).*/\1/p' "$headers")
  wait=$((${after:-0} > pause ? ${after:-0} : pause)) pause=$((pause < 32 ? pause * 2 : 60))
done
echo "perhaps not stored: keep the sale, and send it again later with TRANSACTION_KEY=$key" >&2
exit 2
