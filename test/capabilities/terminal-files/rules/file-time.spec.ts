import {
  guessDateOrder,
  readFileTime,
  zoneOfColumn,
} from '../../../../src/capabilities/terminal-files/rules/file-time.js';

const at = (text: string, clock: string | null = null) => {
  const time = readFileTime(text, clock, 'DMY', 'America/Sao_Paulo');
  return time && (time.isDateOnly ? time.at.toISOString().slice(0, 10) : time.at.toISOString().replace('.000', ''));
};

describe("dates of a terminal's file", () => {
  test.each([
    ['en', '12-Feb-2026'],
    ['en', 'Feb 12, 2026'],
    ['en', 'Thursday, February 12th, 2026'],
    ['en', '12FEB2026'],
    ['en', '2026-Feb-12'],
    ['pt', '12/fev/2026'],
    ['pt', '12 de fevereiro de 2026'],
    ['pt', 'qui, 12/02/2026'],
    ['pt', 'quinta-feira, 12 de fev. de 26'],
    ['es', '12 de febrero de 2026'],
    ['es', '12-feb.-2026'],
    ['de', '12. Februar 2026'],
    ['de', 'Do., 12.02.2026'],
    ['fr', '12 févr. 2026'],
    ['fr', 'jeudi 12 février 2026'],
    ['it', '12 febbraio 2026'],
    ['it', '12-feb-26'],
  ])('%s: %s is a day (J5)', (_, text) => expect(at(text)).toBe('2026-02-12'));

  test.each([
    ['1 Mai 2026', '2026-05-01'],
    ['1er août 2026', '2026-08-01'],
    ['1º de março de 2026', '2026-03-01'],
    ['3. Jänner 2026', '2026-01-03'],
    ['3 März 2026', '2026-03-03'],
    ['3 dic 2026', '2026-12-03'],
    ['3 giu 2026', '2026-06-03'],
    ['3 lug 2026', '2026-07-03'],
    ['3 juil. 2026', '2026-07-03'],
    ['3 ene 2026', '2026-01-03'],
    ['3 Okt 2026', '2026-10-03'],
    ['3 set 2026', '2026-09-03'],
    // juin or juillet
    ['3 jui 2026', null],
    ['31 Feb 2026', null],
    ['3 Mo 2026', null],
    ['Tisch 12, 2026', null],
  ])('%s is %s (J5)', (text, expected) => expect(at(text)).toBe(expected));

  test.each([
    ['2026-02-12 14:30:00 UTC', '2026-02-12T14:30:00Z'],
    ['2026-02-12 14:30:00 +0000', '2026-02-12T14:30:00Z'],
    ['2026-02-12 14:30:00 +01', '2026-02-12T13:30:00Z'],
    ['2026-02-12T14:30:00.000-03:00', '2026-02-12T17:30:00Z'],
    ['12/02/2026 14:30 (UTC)', '2026-02-12T14:30:00Z'],
    ['12/02/2026 14:30 GMT-3', '2026-02-12T17:30:00Z'],
    ['12/02/2026 14:30 UTC+05:30', '2026-02-12T09:00:00Z'],
    ['12/02/2026 14:30 CET', '2026-02-12T13:30:00Z'],
    ['20260212T143000Z', '2026-02-12T14:30:00Z'],
    ['20260212 1430', '2026-02-12T17:30:00Z'],
    ['Thu, 12 Feb 2026 14:30:00 +0100', '2026-02-12T13:30:00Z'],
    ['Feb 12, 2026, 2:30:15 PM', '2026-02-12T17:30:15Z'],
    ['12 Feb 2026 02:30 p.\u202fm.', '2026-02-12T17:30:00Z'],
    ['12/02/2026 12:05 am', '2026-02-12T03:05:00Z'],
    ['12/02/2026 12:05 p.m.', '2026-02-12T15:05:00Z'],
    ['12/02/2026 2 PM', '2026-02-12T17:00:00Z'],
    ['12 févr. 2026 à 14 h 30', '2026-02-12T17:30:00Z'],
    ['12. Februar 2026 um 14:30 Uhr', '2026-02-12T17:30:00Z'],
    ['12 de febrero de 2026 a las 14:30', '2026-02-12T17:30:00Z'],
    ['12/02/2026 14h30', '2026-02-12T17:30:00Z'],
    ['12/02/2026 14h30min', '2026-02-12T17:30:00Z'],
    ['12/02/2026 14.30.15', '2026-02-12T17:30:15Z'],
    ['12/02/2026 14:30 XYZ', null],
    ['12/02/2026 13:30 pm', null],
    ['12/02/2026 14', null],
    ['12/02/2026 14:30 UTC+99', null],
  ])('%s is %s (J5)', (text, expected) => expect(at(text)).toBe(expected));

  test('a time of its own column has an offset, or a clock of 12 hours, too (J5)', () => {
    expect(at('12-Feb-2026', '2:30 PM')).toBe('2026-02-12T17:30:00Z');
    expect(at('12-Feb-2026', '14:30 UTC')).toBe('2026-02-12T14:30:00Z');
  });

  test('the name of a column may say its clock (J5)', () => {
    const zones = ['Created (UTC)', 'created_utc', 'Date GMT', 'Datum (CET)', 'Data', 'nautc', 'Date (est)'].map(
      zoneOfColumn,
    );
    expect(zones).toEqual(['UTC', 'UTC', 'UTC', 'Europe/Berlin', undefined, undefined, 'America/New_York']);
  });

  test('a month in words says nothing of the order of the others (J5)', () => {
    expect(guessDateOrder(['12-Feb-2026'])).toBeNull();
    expect(guessDateOrder(['12-Feb-2026', '02/13/2026'])).toBe('MDY');
  });
});
