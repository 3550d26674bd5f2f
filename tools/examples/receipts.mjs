// Prints what became of the sales of a key. Needs Node 18, RELAY_URL and TOKEN in the environment, and CURSOR to go on where it ended.
const { RELAY_URL, TOKEN, CURSOR = '' } = process.env;
for (let after = CURSOR, pause = 1; ; ) {
  const url = `${RELAY_URL}/webhooks/terminal/receipts?wait=25${after && `&after=${encodeURIComponent(after)}`}`;
  const request = { headers: { Authorization: `Bearer ${TOKEN}` }, signal: AbortSignal.timeout(40_000) };
  const answer = await fetch(url, request).catch(() => new Response(null, { status: 599 })); // no answer
  if ([400, 401, 403].includes(answer.status)) throw new Error(`refused: ${await answer.text()}`); // a person has to look at it
  const page = answer.status === 200 ? await answer.json().catch(() => ({})) : {};
  for (const { type, transactionKey, cause = '' } of page.data ?? []) console.log(type, transactionKey, cause); // store them first,
  if (page.cursor) console.log('cursor', (after = page.cursor)); // then the cursor: none is lost in a crash, some may come again
  const wait = page.cursor ? 0 : Math.max(Number(answer.headers.get('retry-after')), pause);
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait * 1000)); // then the same cursor again
  pause = page.cursor ? 1 : Math.min(pause * 2, 60);
}
