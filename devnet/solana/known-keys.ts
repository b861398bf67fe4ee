import { createHash } from 'node:crypto';
import { Keypair } from '@solana/web3.js';

/** A key pair of the embedded chain: the same on every machine and public, so never send anything of value to it. */
export const knownKey = (purpose: string): Keypair =>
  Keypair.fromSeed(createHash('sha256').update(`solana-local ${purpose}`).digest());

/** The funded account of an index. */
export const fundedKey = (index: number): Keypair => knownKey(`account ${index}`);
