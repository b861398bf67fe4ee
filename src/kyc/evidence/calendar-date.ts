const ADULT_YEARS = 18;

/** True for a valid calendar date, written `YYYY-MM-DD`. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

const EARLIEST_BIRTH = '1900-01-01';

/** True for a calendar date from 1900 up to today in São Paulo. */
export const isBirthDate = (text: string, now: Date): boolean =>
  isCalendarDate(text) && text >= EARLIEST_BIRTH && text <= dayInSaoPaulo(now);

/** The date in São Paulo, `YYYY-MM-DD`. */
const dayInSaoPaulo = (now: Date): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Sao_Paulo', dateStyle: 'short' }).format(now);

/** True from the eighteenth birthday on. A person born on 29 February comes of age on 1 March. */
export function isAdult(birthDate: string, now: Date): boolean {
  const years = Number.parseInt(birthDate.slice(0, 4), 10) + ADULT_YEARS;
  return dayInSaoPaulo(now) >= `${String(years).padStart(4, '0')}${birthDate.slice(4)}`;
}
