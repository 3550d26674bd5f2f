// Loaded into an instance before the relay (`node --import`): shifts its clock by CHAOS_CLOCK_MS, and writes its process id on
// its calls to the POS, so that the verdict knows which claim a call belongs to. The relay notices neither.
import { subscribe } from 'node:diagnostics_channel';

const RealDate = Date;
const shiftMs = Number(process.env.CHAOS_CLOCK_MS ?? 0);
const now = () => RealDate.now() + shiftMs;

const ShiftedDate = new Proxy(RealDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length > 0 ? args : [now()], newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
});
RealDate.prototype.constructor = ShiftedDate;
globalThis.Date = ShiftedDate;

subscribe('undici:request:create', ({ request }) => request.addHeader('x-chaos-pid', String(process.pid)));
