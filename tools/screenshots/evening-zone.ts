/** A time zone for each hour of offset, without UTC. */
const ZONES: readonly string[] = [
  ...['America/Sao_Paulo', 'Europe/Rome', 'America/New_York', 'America/Los_Angeles', 'America/Mexico_City'],
  ...['Asia/Tokyo', 'Asia/Shanghai', 'Asia/Bangkok', 'Asia/Dhaka', 'Asia/Karachi', 'Asia/Dubai', 'Europe/Istanbul'],
  ...[
    'Europe/Athens',
    'Atlantic/Cape_Verde',
    'America/Noronha',
    'America/Caracas',
    'America/Denver',
    'America/Anchorage',
  ],
  ...['Pacific/Honolulu', 'Pacific/Pago_Pago', 'Pacific/Auckland', 'Pacific/Noumea', 'Australia/Brisbane'],
];
const EVENING_HOURS: readonly number[] = [22, 21, 20];

/** A zone where it is late evening now: the sales of the last three hours are in one business day. */
export function eveningZone(now: Date): string {
  const hourIn = (timeZone: string) =>
    Number(new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', hourCycle: 'h23' }).format(now));
  const zone = EVENING_HOURS.map((hour) => ZONES.find((each) => hourIn(each) === hour)).find(Boolean);
  if (!zone) throw new Error('it is evening nowhere');
  return zone;
}
