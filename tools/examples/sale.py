# Sends a signed test sale. Needs Python 3.8, and RELAY_URL, KEY_ID and SECRET in the environment.
import base64, hashlib, hmac, json, os, sys, time, urllib.error, urllib.request

key = os.environ.get("TRANSACTION_KEY", f"T-{int(time.time())}")  # the terminal's own id of the sale: the same in every repeat
body = json.dumps({
    "transactionKey": key, "storeCode": os.environ.get("STORE_CODE"), "isTestTransaction": True, "totalAmount": 79.8,
    "items": [{"itemCode": "PZ-01", "itemName": "Pizza Margherita", "quantity": 2, "price": 39.9}],
    "payments": [{"tenderType": 16, "amount": 79.8}],
}).encode()
secret = base64.b64decode(os.environ["SECRET"][len("whsec_"):])
url = f"{os.environ['RELAY_URL']}/webhooks/terminal/{os.environ['KEY_ID']}"
pause = 1
for left in reversed(range(int(os.environ.get("TRIES", 8)))):
    now = str(int(time.time()))  # each repeat is signed again: an old signature is refused
    digest = hmac.new(secret, f"{key}.{now}.".encode() + body, hashlib.sha256).digest()
    headers = {"Content-Type": "application/json", "webhook-id": key, "webhook-timestamp": now,
               "webhook-signature": "v1," + base64.b64encode(digest).decode()}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=15) as response:
            status, answer, after = response.status, response.read().decode(), ""
    except urllib.error.HTTPError as error:
        status, answer, after = error.code, error.read().decode(), error.headers.get("Retry-After", "")
    except Exception as error:
        status, answer, after = 0, str(error), ""
    if (status == 200 and '"jobId"' in answer) or (status == 400 and '"code":"DUPLICATE_TRANSACTION"' in answer):
        sys.exit(print("stored:", answer))
    if status not in (0, 408, 429) and status < 500:
        sys.exit(f"refused: {status} {answer}")  # a person has to look at it
    if left > 0:
        time.sleep(max(pause, int(after) if after.isdigit() else 0))  # then the same sale again
    pause = min(pause * 2, 60)
sys.exit(f"perhaps not stored: keep the sale, and send it again later with TRANSACTION_KEY={key}")
