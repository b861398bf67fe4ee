import { randomBytes, randomUUID } from 'node:crypto';
import jsQR from 'jsqr';
import { readPng } from '../../test/ramps/read-png';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { toBaseUnits } from '../money/base-units';
import { createPersonalDataVault } from '../persistence/personal-data';
import { drawPaymentQrCode, qrCodePath } from './payment-qr-code';
import type { Ticket } from './ramp-provider';
import { ticketJson } from './stored-ticket';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const vault = createPersonalDataVault({ keys: [{ version: 1, key: randomBytes(32) }], indexKey: randomBytes(32) });

/** BR Codes have up to 512 characters. */
const BR_CODE = `00020101021226930014br.gov.bcb.pix2571qr.example.com/${'a'.repeat(451)}6304ABCD`;

const instructions = {
  pix: { copyPaste: BR_CODE },
  expiresAt: new Date(),
  amount: { amountRaw: '10000', currency: 'BRL' as const },
};
const bank = { bankName: 'A Bank', routingNumber: '021000021', accountNumber: '1', beneficiary: 'R', memo: undefined };
const byPix: Ticket = { kind: 'payIn', ticketId: 'pix', instructions };
const byWire: Ticket = { kind: 'payIn', ticketId: 'w', instructions: { ...instructions, pix: undefined, wire: bank } };
const payOut: Ticket = { kind: 'payOut', ticketId: 'out', depositAddress: '0x1', amount: toBaseUnits(1n) };

/** Stores an action with a ticket. */
async function actionWith(ticket: Ticket | undefined): Promise<string> {
  const actionId = randomUUID();
  const sealed = (value: object) => vault.seal(value, `RampTicket:${actionId}`);
  await test.database.rampTicket.create({
    data: {
      actionId,
      customerId: randomUUID(),
      profileId: randomUUID(),
      provider: 'primary',
      accountId: 'account',
      request: sealed({}),
      ...(ticket === undefined ? {} : { ticketId: actionId, ticket: sealed(ticketJson(ticket)) }),
    },
  });
  return actionId;
}

const tokenOf = (actionId: string): string => /([0-9a-f]{32})\.png$/.exec(qrCodePath(vault, actionId))![1]!;
const draw = (actionId: string, token = tokenOf(actionId)) =>
  drawPaymentQrCode({ vault, database: test.database }, { actionId, token });

it('encodes a BR Code of the maximum length', async () => {
  expect(BR_CODE).toHaveLength(512);
  const { points, width, height } = readPng((await draw(await actionWith(byPix)))!);
  expect(jsQR(points, width, height)?.data).toBe(BR_CODE);
});

it('has a path for each action that depends on the keys of the service', async () => {
  const [one, other] = [await actionWith(byPix), await actionWith(byPix)];
  expect(qrCodePath(vault, one)).toBe(`/payments/${one}/${tokenOf(one)}.png`);
  expect(tokenOf(one)).not.toBe(tokenOf(other));
  const otherVault = createPersonalDataVault({
    keys: [{ version: 1, key: randomBytes(32) }],
    indexKey: randomBytes(32),
  });
  expect(qrCodePath(otherVault, one)).not.toBe(qrCodePath(vault, one));
});

it('is not drawn for another token', async () => {
  const [mine, other] = [await actionWith(byPix), await actionWith(byPix)];
  const token = tokenOf(mine);
  const almost = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');
  for (const wrong of [tokenOf(other), '', token.slice(1), almost, `${token}0`, ` ${token}`]) {
    expect(await draw(mine, wrong)).toBeUndefined();
  }
});

it.each([
  ['an action that is paid by wire', () => actionWith(byWire)],
  ['an action that pays out', () => actionWith(payOut)],
  ['an action without a stored ticket', () => actionWith(undefined)],
  ['an unknown action', () => Promise.resolve(randomUUID())],
  ['an invalid id', () => Promise.resolve('%00')],
])('is undefined for %s', async (_, action) => {
  expect(await draw(await action())).toBeUndefined();
});
