// Sends a signed test sale: java Sale.java. Needs Java 17, and RELAY_URL, KEY_ID and SECRET in the environment.
import java.net.URI; import java.net.http.*; import java.time.*; import java.util.*; import javax.crypto.Mac; import javax.crypto.spec.SecretKeySpec;

class Sale {
  public static void main(String[] args) throws Exception {
    var env = System.getenv();
    var key = env.getOrDefault("TRANSACTION_KEY", "T-" + System.currentTimeMillis()); // the terminal's own id of the sale: the same in every repeat
    var body = """
        {"transactionKey":"%s","storeCode":"%s","isTestTransaction":true,"totalAmount":79.8,
         "items":[{"itemCode":"PZ-01","itemName":"Pizza Margherita","quantity":2,"price":39.9}],
         "payments":[{"tenderType":16,"amount":79.8}]}""".formatted(key, env.getOrDefault("STORE_CODE", ""));
    var mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(Base64.getDecoder().decode(env.get("SECRET").substring("whsec_".length())), "HmacSHA256"));
    var client = HttpClient.newHttpClient();
    for (int left = Integer.parseInt(env.getOrDefault("TRIES", "8")) - 1, pause = 1; ; left--, pause = Math.min(pause * 2, 60)) {
      var now = Instant.now().getEpochSecond(); // each repeat is signed again: an old signature is refused
      var signature = Base64.getEncoder().encodeToString(mac.doFinal((key + "." + now + "." + body).getBytes("UTF-8")));
      var request = HttpRequest.newBuilder(URI.create(env.get("RELAY_URL") + "/webhooks/terminal/" + env.get("KEY_ID")))
          .timeout(Duration.ofSeconds(15)).POST(HttpRequest.BodyPublishers.ofString(body)).headers("Content-Type", "application/json",
              "webhook-id", key, "webhook-timestamp", "" + now, "webhook-signature", "v1," + signature).build();
      int status = 0; String answer = "no answer", after = "";
      try {
        var response = client.send(request, HttpResponse.BodyHandlers.ofString());
        status = response.statusCode(); answer = response.body(); after = response.headers().firstValue("Retry-After").orElse("");
      } catch (java.io.IOException lost) { answer = lost.toString(); }
      var isStored = status == 200 && answer.contains("\"jobId\"") || status == 400 && answer.contains("\"code\":\"DUPLICATE_TRANSACTION\"");
      if (isStored) { System.out.println("stored: " + answer); return; }
      if (!Set.of(0, 408, 429).contains(status) && status < 500) throw new Exception("refused: " + status + " " + answer); // a person has to look at it
      if (left <= 0) throw new Exception("perhaps not stored: keep the sale, and send it again later with TRANSACTION_KEY=" + key);
      Thread.sleep(Math.max(pause, after.matches("\\d{1,6}") ? Integer.parseInt(after) : 0) * 1000L); // then the same sale again
    }
  }
}
