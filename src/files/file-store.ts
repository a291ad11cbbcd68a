/** The store of uploaded files: each file is an object, which is written once and never changes. */
import { createHash, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { wrongUploadLength } from '../terms/errors.ts';
import type { ScopedId } from '../terms/ids.ts';
import type { DownloadHeaders } from './download-headers.ts';

/** An object as the store lists it. */
export type ListedObject = { objectName: string; sizeBytes: number; modifiedAt: Date };

/** The largest upload that the contract allows (`presignUploadUrl`, `size`). */
export const OBJECT_MAX_BYTES = 52_428_800;

/** `sizeBytes`: the length that the object must have. `signal` aborts the read. */
export type ReadOptions = { sizeBytes?: number | undefined; signal?: AbortSignal | undefined };

/** A part of an object: its first and last byte, counted from 0. */
export type ByteRange = { start: number; end: number };

/** An object that is stored completely. */
export type StoredObject = { objectName: string; sha256: Buffer };

/** Downloads from the store itself, by an address that works until the expiry. */
type DirectDownloads = {
  presign(
    objectName: string,
    download: DownloadHeaders & { createdAt: Date; expiresAt: Date },
  ): Promise<string>;
  open?: never;
};

/** Downloads from this service. */
export type StreamedDownloads = {
  presign?: never;
  /**
   * Opens a part of an object. Its bytes can be read to the end even if the object is removed meanwhile.
   * @returns undefined when the object does not exist
   * @throws when the object has another length than `sizeBytes`
   */
  open(objectName: string, part: ByteRange & { sizeBytes: number }): Promise<Readable | undefined>;
};

export type FileStore = {
  /** How clients get an object. */
  downloads: DirectDownloads | StreamedDownloads;
  /** Uploads directly from clients to the store; undefined: upload addresses lead to this service. */
  directUploads?: {
    /** Returns the origin of the addresses. It is the same for all of them. */
    findOrigin(): Promise<string>;
    /** Returns the address to which the client can PUT exactly `sizeBytes` bytes until the expiry. */
    presign(file: ScopedId, grant: { sizeBytes: number; createdAt: Date; expiresAt: Date }): Promise<string>;
    /**
     * Copies the upload to a new name, which no upload address can overwrite.
     * @returns that name; undefined: no upload of exactly `sizeBytes` has arrived
     */
    take(file: ScopedId, sizeBytes: number): Promise<string | undefined>;
  };
  /**
   * Streams `bytes` to the store under a new name below `prefix`. The object exists completely and synced, or not at
   * all. Each buffer's memory is released after its write, so the caller must not read it afterwards.
   * @throws INPUT_VALIDATION_FAILED when `bytes` has not exactly `sizeBytes`; reading stops at the first byte beyond
   */
  write(prefix: string, bytes: AsyncIterable<Buffer>, sizeBytes: number): Promise<StoredObject>;
  /** Writes an object under the name that it has in a backup; replaces an object of that name. */
  put(objectName: string, bytes: Buffer): Promise<void>;
  /** Writes a small object, reads it and removes it. @throws the first failure */
  probe(): Promise<void>;
  /** Checks whether the store answers at all; changes nothing. @throws the store's error, or a time-out */
  ping(): Promise<void>;
  /**
   * Returns the complete object.
   * @throws SERVICE_UNAVAILABLE when it does not exist; an error when it arrives too slowly, or has another length
   */
  read(objectName: string, options?: ReadOptions): Promise<Buffer>;
  /** Like `read`, but returns undefined when the object does not exist. */
  readIfExists(objectName: string, options?: ReadOptions): Promise<Buffer | undefined>;
  /** Whether an object of this name exists. @throws when the store does not answer */
  exists(objectName: string): Promise<boolean>;
  /** Removes an object, or everything below a prefix. Does nothing when it is missing. */
  remove(name: string): Promise<void>;
  /** Lists the ids of the knowledge bases with objects in the store, in no order. */
  listKnowledgeBases(): AsyncIterable<string>;
  /**
   * Lists the objects of one knowledge base in the order of their files' ids, beginning after the file `afterId`. Omits
   * objects whose names do not match OBJECT_NAME_PATTERN.
   */
  listObjects(knowledgeBaseId: string, afterId?: string): AsyncIterable<ListedObject>;
};

/**
 * How long after an address's expiry an upload may still arrive. An upload in progress may end after the expiry, and
 * clocks differ: S3 tolerates this difference (Amazon S3, error RequestTimeTooSkewed).
 */
export const LATE_UPLOAD_SECONDS = 900;

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** Returns a name that belongs to no file. An aborted probe leaves an object, which garbage collection may remove. */
export const probeName = (): string => `${randomUUID()}/${randomUUID()}/${randomUUID()}`;
/** Returns the prefix of all objects of a file. */
export const filePrefix = ({ knowledgeBaseId, id }: ScopedId): string => `${knowledgeBaseId}/${id}`;
/** Returns the name under which a client uploads a file directly to the store. */
export const uploadNameOf = (file: ScopedId): string => `${filePrefix(file)}/${file.id}`;
/** Whether a direct upload has this name. */
export const isUploadName = (objectName: string): boolean => UPLOAD_NAME_PATTERN.test(objectName);
/** Matches the first part of an object's name. */
export const KNOWLEDGE_BASE_PATTERN = new RegExp(`^${UUID}$`);
/** `<knowledge base>/<file>/<any>`. Objects with other names belong to other programs, and are never changed. */
export const OBJECT_NAME_PATTERN = new RegExp(`^(${UUID})/(${UUID})/${UUID}$`);
const UPLOAD_NAME_PATTERN = new RegExp(`^${UUID}/(${UUID})/\\1$`);

/**
 * Hashes and counts the bytes that it passes on.
 * @throws INPUT_VALIDATION_FAILED when they are not exactly `expectedBytes`
 */
export function measured(expectedBytes: number) {
  const hash = createHash('sha256');
  let receivedBytes = 0;
  return {
    async *pass(source: AsyncIterable<Buffer>) {
      for await (const piece of source) {
        receivedBytes += piece.length;
        if (receivedBytes > expectedBytes) throw wrongUploadLength(expectedBytes);
        hash.update(piece);
        yield piece;
      }
      if (receivedBytes < expectedBytes) throw wrongUploadLength(expectedBytes, receivedBytes);
    },
    digest: () => hash.digest(),
  };
}
