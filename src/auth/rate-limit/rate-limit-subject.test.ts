import type { CustomerId } from '../principal';
import { rateLimitSubject } from './rate-limit-subject';

it('users of two customers share no limit, also when their tokens have the same subject', () => {
  const subjectOf = (customerId: string) =>
    rateLimitSubject({ kind: 'bearer', customerId: customerId as CustomerId, subject: 'admin', role: 'viewer' });
  expect(subjectOf('alice')).toEqual(subjectOf('alice'));
  expect(subjectOf('alice')).not.toMatchObject({ callerId: (subjectOf('bob') as { callerId: string }).callerId });
});
