/**
 * Gathers calls: while `lanes` runs are under way, further values wait, and the next run takes all of them.
 * @param run a function from an array of values to an array of results in the same order
 * @returns a function from a value to the promise of its result
 */
export function gathered(run, { lanes = 2, most = 200 } = {}) {
  let free = lanes;
  let waiting = [];
  const runAll = async () => {
    free--;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, most);
      waiting = waiting.slice(most);
      try {
        const results = await run(batch.map(({ value }) => value));
        for (const [n, { resolve }] of batch.entries()) resolve(results[n]);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    free++;
  };
  return (value) =>
    new Promise((resolve, reject) => {
      waiting.push({ value, resolve, reject });
      if (free > 0) void runAll();
    });
}

/** Rows as the columns that `unnest` takes. */
export const columnsOf = (rows) => rows[0].map((_, column) => rows.map((row) => row[column]));
