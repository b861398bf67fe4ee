import type { EmulatorAnswer } from '../http-emulator';
import type { Control } from './control';

/** What an answer is about, by the first part of its path. */
const SUBJECTS: Readonly<Record<string, Control['incomplete'][number]>> = {
  quote: 'quote',
  payin: 'transaction',
  payout: 'transaction',
  transactions: 'transaction',
  customers: 'customer',
};

/** An answer without ids, if answers about that are to lack what they must have; else as it is. */
export function incompleteAnswer({ incomplete }: Control, route: string, answer: EmulatorAnswer): EmulatorAnswer {
  const [, , first = ''] = route.split('/');
  const subject = SUBJECTS[first];
  if (subject === undefined || !incomplete.includes(subject)) return answer;
  return { ...answer, body: withoutIds(answer.body) };
}

function withoutIds(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const data = 'data' in body && Array.isArray(body.data) ? { data: body.data.map(withoutIds) } : {};
  return { ...body, id: undefined, ...data };
}
