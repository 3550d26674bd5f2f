// Loaded before the relay (`node --import`): writes the first statement that locks due jobs to CLAIM_FILE, then is gone. It reads the
// messages Parse and Bind on their way to the server, because the relay's copy of pg is inside its bundle.
import { writeFileSync } from 'node:fs';
import { Socket } from 'node:net';

const [PARSE, BIND] = Buffer.from('PB');
const { write } = Socket.prototype;
let claim;

Socket.prototype.write = function (data, ...rest) {
  if (data[0] === PARSE) {
    const [name, text] = strings(data);
    if (/SKIP LOCKED/i.test(text) && /SET status = 'PROCESSING'/i.test(text)) claim = { text, name };
  } else if (data[0] === BIND && claim && strings(data)[1] === claim.name) {
    writeFileSync(process.env.CLAIM_FILE, JSON.stringify({ ...claim, values: valuesOf(data) }));
    Socket.prototype.write = write;
  }
  return write.call(this, data, ...rest);
};

/** The two strings that Parse and Bind begin with. */
function strings(message) {
  const end = message.indexOf(0, 5);
  return [message.toString('utf8', 5, end), message.toString('utf8', end + 1, message.indexOf(0, end + 1))];
}

/** The parameters of a Bind, as text. */
function valuesOf(message) {
  let at = message.indexOf(0, message.indexOf(0, 5) + 1) + 1;
  // the formats of the parameters
  at += 2 + 2 * message.readInt16BE(at);
  const count = message.readInt16BE(at);
  at += 2;
  return Array.from({ length: count }, () => {
    const length = message.readInt32BE(at);
    at += 4 + Math.max(length, 0);
    return length < 0 ? null : message.toString('utf8', at - length, at);
  });
}
