#!/bin/sh
# Sends a test sale with a token. Needs curl, and RELAY_URL and TOKEN in the environment.
set -eu
key=${TRANSACTION_KEY:-T-$(date +%s)} # the terminal's own id of the sale: the same in every repeat
curl -sS -m 15 "$RELAY_URL/webhooks/terminal" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{
  "transactionKey": "'$key'", "storeCode": "'${STORE_CODE:-}'", "isTestTransaction": true, "totalAmount": 79.8,
  "items": [{"itemCode": "PZ-01", "itemName": "Pizza Margherita", "quantity": 2, "price": 39.9}],
  "payments": [{"tenderType": 16, "amount": 79.8}]
}'
