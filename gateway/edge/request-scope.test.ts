import type { FastifyRequest } from 'fastify';
import { lifetimeFromSignal } from '../../src/auth/request-lifetime';
import { createRequestScope, requestContext } from './request-scope';

const callerOf = (ip: string, customerId?: string): string => {
  const scope = Object.assign(createRequestScope(), customerId === undefined ? {} : { principal: { customerId } });
  const request = { id: 'r', ip, scope } as unknown as FastifyRequest;
  return requestContext(request, lifetimeFromSignal(new AbortController().signal)).caller;
};

it('the caller of a request is its customer, or the network of its address without a credential', () => {
  expect(callerOf('203.0.113.7', 'customer')).toBe('customer');
  expect(callerOf('203.0.113.7')).toBe('203.0.113.7');
  expect(callerOf('2001:db8::1')).toBe(callerOf('2001:db8::2'));
  expect(callerOf('2001:db8::1')).not.toBe(callerOf('2001:db8:0:1::1'));
});
