// No queue at all: loops send what they make up. The most that one process can deliver with this client.
export async function open() {
  return {
    add() {},
    addMany() {},
    settleDown() {},
    async work({ deliver, concurrency, payloadOf, jobs }) {
      let next = 0;
      const loop = async () => {
        while (next < jobs) await deliver(payloadOf(next++));
      };
      void Promise.all(Array.from({ length: concurrency }, loop));
    },
  };
}
