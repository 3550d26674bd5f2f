<?php // Sends a signed test sale. Needs PHP 7.4 with curl, and RELAY_URL, KEY_ID and SECRET in the environment.
$key = getenv('TRANSACTION_KEY') ?: 'T-' . time(); // the terminal's own id of the sale: the same in every repeat
$body = json_encode([
    'transactionKey' => $key, 'storeCode' => getenv('STORE_CODE') ?: null, 'isTestTransaction' => true, 'totalAmount' => 79.8,
    'items' => [['itemCode' => 'PZ-01', 'itemName' => 'Pizza Margherita', 'quantity' => 2, 'price' => 39.9]],
    'payments' => [['tenderType' => 16, 'amount' => 79.8]],
]);
$secret = base64_decode(substr(getenv('SECRET'), strlen('whsec_')));
for ($tries = getenv('TRIES') ?: 8, $pause = 1; ; $pause = min($pause * 2, 60)) {
    $after = 0;
    $now = time(); // each repeat is signed again: an old signature is refused
    $signature = base64_encode(hash_hmac('sha256', "$key.$now.$body", $secret, true));
    $request = curl_init(getenv('RELAY_URL') . '/webhooks/terminal/' . getenv('KEY_ID'));
    curl_setopt_array($request, [
        CURLOPT_POSTFIELDS => $body, CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 15,
        CURLOPT_HTTPHEADER => ['Content-Type: application/json', "webhook-id: $key", "webhook-timestamp: $now",
            "webhook-signature: v1,$signature"],
        CURLOPT_HEADERFUNCTION => function ($_, $line) use (&$after) {
            if (preg_match('/^retry-after: *(\d+)/i', $line, $found)) $after = (int) $found[1];
            return strlen($line);
        },
    ]);
    $answer = curl_exec($request);
    $status = $answer === false ? 0 : curl_getinfo($request, CURLINFO_RESPONSE_CODE);
    $isStored = $status === 200 && strpos($answer, '"jobId"') || $status === 400 && strpos($answer, '"code":"DUPLICATE_TRANSACTION"');
    if ($isStored) exit("stored: $answer\n");
    if (!in_array($status, [0, 408, 429]) && $status < 500) {
        fwrite(STDERR, "refused: $status $answer\n"); // a person has to look at it
        exit(1);
    }
    if (--$tries <= 0) {
        fwrite(STDERR, "perhaps not stored: keep the sale, and send it again later with TRANSACTION_KEY=$key\n");
        exit(2);
    }
    sleep(max($pause, $after)); // then the same sale again
}
