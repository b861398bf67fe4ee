import { toBuffer } from 'qrcode';
import { z } from 'zod';
import { areEqualSecrets } from '../auth/credentials/equal-secrets';
import type { Database } from '../persistence/database';
import type { PersonalDataVault } from '../persistence/personal-data';
import { parseTicket, ticketSealContext } from './stored-ticket';

const TOKEN_DIGITS = 32;
/** As printed by banks. Level M recovers about 15 % of damaged data. */
const DRAWING = { type: 'png', errorCorrectionLevel: 'M', margin: 4, scale: 6 } as const;

const uuid = z.guid().lowercase();

/** Path of the QR code of an action's payment. The path grants access to the payment, so only the customer receives it. */
export const qrCodePath = (vault: Pick<PersonalDataVault, 'blindIndex'>, actionId: string): string =>
  `/payments/${actionId}/${tokenOf(vault, actionId)}.png`;

const tokenOf = (vault: Pick<PersonalDataVault, 'blindIndex'>, actionId: string): string =>
  Buffer.from(vault.blindIndex('paymentQr', actionId)).toString('hex').slice(0, TOKEN_DIGITS);

export interface QrCodeDeps {
  readonly vault: Pick<PersonalDataVault, 'blindIndex' | 'open'>;
  readonly database: Pick<Database, 'rampTicket'>;
}

/** Draws the QR code of an action's payment as PNG; `undefined` for a wrong token or an action without a QR code. */
export async function drawPaymentQrCode(
  deps: QrCodeDeps,
  { actionId, token }: { readonly actionId: string; readonly token: string },
): Promise<Buffer | undefined> {
  if (!uuid.safeParse(actionId).success || !areEqualSecrets(token, tokenOf(deps.vault, actionId))) return undefined;
  const brCode = await brCodeOf(deps, actionId);
  return brCode === undefined ? undefined : toBuffer(brCode, DRAWING);
}

/** The BR Code of an action that is paid by Pix, once its ticket is stored. */
async function brCodeOf({ database, vault }: QrCodeDeps, actionId: string): Promise<string | undefined> {
  const row = await database.rampTicket.findUnique({ where: { actionId }, select: { ticket: true } });
  if (row === null || row.ticket === null) return undefined;
  const ticket = parseTicket(vault.open(row.ticket, ticketSealContext(actionId)));
  return ticket.kind === 'payIn' ? ticket.instructions.pix?.copyPaste : undefined;
}
