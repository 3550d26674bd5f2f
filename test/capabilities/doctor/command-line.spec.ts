import { readFlags, wantsColour } from '../../../src/capabilities/doctor/command-line.js';

it('reads the flags it knows, and refuses others in one line', () => {
  expect(readFlags(['--once'], ['once', 'help'])).toEqual({ once: true, help: false });
  expect(() => readFlags(['--twice'], ['once'])).toThrow("Unknown option '--twice'; try --help");
});

it('respects NO_COLOR, FORCE_COLOR and dumb terminals', () => {
  expect(wantsColour({}, true)).toBe(true);
  expect(wantsColour({}, false)).toBe(false);
  expect(wantsColour({ NO_COLOR: '1' }, true)).toBe(false);
  expect(wantsColour({ TERM: 'dumb' }, true)).toBe(false);
  expect(wantsColour({ FORCE_COLOR: '1' }, false)).toBe(true);
  expect(wantsColour({ FORCE_COLOR: '0' }, true)).toBe(false);
});
