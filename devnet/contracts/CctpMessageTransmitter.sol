// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {CctpTokenMessenger} from "./CctpTokenMessenger.sol";

/// Sends messages to other domains and receives those that the attesters signed, with the interface, the events and the
/// message layout of Circle's MessageTransmitterV2.
///
/// Message: version (4 bytes), sourceDomain (4), destinationDomain (4), nonce (32), sender (32), recipient (32),
/// destinationCaller (32), minFinalityThreshold (4), finalityThresholdExecuted (4), body. The attesters fill in nonce and
/// finalityThresholdExecuted.
contract CctpMessageTransmitter {
    event MessageSent(bytes message);
    event MessageReceived(
        address indexed caller,
        uint32 sourceDomain,
        bytes32 indexed nonce,
        bytes32 sender,
        uint32 indexed finalityThresholdExecuted,
        bytes messageBody
    );
    event AttesterEnabled(address indexed attester);

    uint256 public constant NONCE_USED = 1;
    uint32 private constant FINALIZED = 2000;
    uint256 private constant HEADER_LENGTH = 148;
    uint256 private constant SIGNATURE_LENGTH = 65;

    uint32 public immutable localDomain;
    uint32 public immutable version;
    uint256 public immutable signatureThreshold;
    uint256 public immutable maxMessageBodySize;

    mapping(address => bool) public isEnabledAttester;
    mapping(bytes32 => uint256) public usedNonces;

    constructor(
        uint32 localDomain_,
        uint32 version_,
        address[] memory attesters,
        uint256 signatureThreshold_,
        uint256 maxMessageBodySize_
    ) {
        require(signatureThreshold_ > 0, "Invalid signature threshold");
        require(signatureThreshold_ <= attesters.length, "Signature threshold exceeds attesters");
        localDomain = localDomain_;
        version = version_;
        signatureThreshold = signatureThreshold_;
        maxMessageBodySize = maxMessageBodySize_;
        for (uint256 i = 0; i < attesters.length; ++i) {
            isEnabledAttester[attesters[i]] = true;
            emit AttesterEnabled(attesters[i]);
        }
        usedNonces[0] = NONCE_USED;
    }

    function sendMessage(
        uint32 destinationDomain,
        bytes32 recipient,
        bytes32 destinationCaller,
        uint32 minFinalityThreshold,
        bytes calldata messageBody
    ) external {
        require(destinationDomain != localDomain, "Domain is local domain");
        require(messageBody.length <= maxMessageBodySize, "Message body exceeds max size");
        require(recipient != 0, "Recipient must be nonzero");
        emit MessageSent(
            abi.encodePacked(
                version,
                localDomain,
                destinationDomain,
                bytes32(0),
                bytes32(uint256(uint160(msg.sender))),
                recipient,
                destinationCaller,
                minFinalityThreshold,
                uint32(0),
                messageBody
            )
        );
    }

    function receiveMessage(bytes calldata message, bytes calldata attestation) external returns (bool success) {
        _verifySignatures(message, attestation);
        require(message.length >= HEADER_LENGTH, "Invalid message: too short");
        require(uint32(bytes4(message[8:12])) == localDomain, "Invalid destination domain");
        bytes32 destinationCaller = bytes32(message[108:140]);
        require(
            destinationCaller == 0 || destinationCaller == bytes32(uint256(uint160(msg.sender))),
            "Invalid caller for message"
        );
        require(uint32(bytes4(message[0:4])) == version, "Invalid message version");
        bytes32 nonce = bytes32(message[12:44]);
        require(usedNonces[nonce] == 0, "Nonce already used");
        usedNonces[nonce] = NONCE_USED;
        _handle(message);
        emit MessageReceived(
            msg.sender,
            uint32(bytes4(message[4:8])),
            nonce,
            bytes32(message[44:76]),
            uint32(bytes4(message[144:148])),
            message[HEADER_LENGTH:]
        );
        return true;
    }

    function _handle(bytes calldata message) private {
        CctpTokenMessenger recipient = CctpTokenMessenger(address(uint160(uint256(bytes32(message[76:108])))));
        uint32 source = uint32(bytes4(message[4:8]));
        bytes32 sender = bytes32(message[44:76]);
        uint32 finality = uint32(bytes4(message[144:148]));
        bytes calldata body = message[HEADER_LENGTH:];
        if (finality < FINALIZED) {
            bool handled = recipient.handleReceiveUnfinalizedMessage(source, sender, finality, body);
            require(handled, "handleReceiveUnfinalizedMessage() failed");
        } else {
            bool handled = recipient.handleReceiveFinalizedMessage(source, sender, finality, body);
            require(handled, "handleReceiveFinalizedMessage() failed");
        }
    }

    /// Exactly as many signatures as the threshold, in ascending order of the addresses that made them.
    function _verifySignatures(bytes calldata message, bytes calldata attestation) private view {
        require(attestation.length == SIGNATURE_LENGTH * signatureThreshold, "Invalid attestation length");
        bytes32 digest = keccak256(message);
        address latest = address(0);
        for (uint256 i = 0; i < signatureThreshold; ++i) {
            bytes memory signature = attestation[i * SIGNATURE_LENGTH:(i + 1) * SIGNATURE_LENGTH];
            address attester = ECDSA.recover(digest, signature);
            require(attester > latest, "Invalid signature order or dupe");
            require(isEnabledAttester[attester], "Invalid signature: not attester");
            latest = attester;
        }
    }
}
