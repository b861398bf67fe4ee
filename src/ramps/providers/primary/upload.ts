import { request } from 'undici';
import { UpstreamError } from '../../../http/upstream-error';
import { isPublicHost } from '../../../http/public-address';
import type { EvidenceFile } from '../../kyc-provider';

export interface Upload {
  /** From the ramp's response. */
  readonly url: string;
  /** Base URL of the ramp. */
  readonly apiUrl: string;
  readonly file: EvidenceFile;
}

/**
 * Uploads a file to the URL from the ramp: the ramp's own origin, or a public host by https. Redirects are not followed.
 *
 * @throws UpstreamError
 */
export async function uploadFile({ url, apiUrl, file }: Upload, signal: AbortSignal): Promise<void> {
  const target = new URL(url);
  const isOwn = target.origin === new URL(apiUrl).origin;
  if (!isOwn && !(target.protocol === 'https:' && isPublicHost(target.hostname))) {
    throw new UpstreamError('its upload URL is not an allowed address', { kind: 'unreadable' });
  }
  try {
    const headers = { 'content-type': file.mimeType, 'if-none-match': '*' };
    const response = await request(target, { method: 'PUT', headers, body: file.bytes, signal });
    await response.body.dump();
    // 412: the file exists, from an attempt whose response was lost.
    if (response.statusCode === 412 || (response.statusCode >= 200 && response.statusCode < 300)) return;
    const { statusCode: status } = response;
    throw new UpstreamError(`it responded to an upload with ${String(status)}`, { kind: 'status', status });
  } catch (cause) {
    if (cause instanceof UpstreamError) throw cause;
    throw new UpstreamError('an upload failed', { kind: 'unreachable', cause });
  }
}
