// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {CctpMessageTransmitter} from "./CctpMessageTransmitter.sol";
import {CctpTokenMinter} from "./CctpTokenMinter.sol";

/// Burns tokens for another domain and mints those that were burned there, with the interface, the events and the burn
/// message of Circle's TokenMessengerV2.
///
/// Burn message: version (4 bytes), burnToken (32), mintRecipient (32), amount (32), messageSender (32), maxFee (32),
/// feeExecuted (32), expirationBlock (32), hookData. The attesters fill in feeExecuted and expirationBlock.
contract CctpTokenMessenger {
    event DepositForBurn(
        address indexed burnToken,
        uint256 amount,
        address indexed depositor,
        bytes32 mintRecipient,
        uint32 destinationDomain,
        bytes32 destinationTokenMessenger,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 indexed minFinalityThreshold,
        bytes hookData
    );
    event MintAndWithdraw(address indexed mintRecipient, uint256 amount, address indexed mintToken, uint256 feeCollected);

    /// Nothing below this level of finality is minted.
    uint32 private constant LEAST_FINALITY = 500;
    uint256 private constant BURN_MESSAGE_LENGTH = 228;

    address public immutable localMessageTransmitter;
    uint32 public immutable messageBodyVersion;
    CctpTokenMinter public immutable localMinter;
    address public immutable feeRecipient;

    mapping(uint32 => bytes32) public remoteTokenMessengers;

    modifier onlyRemoteTokenMessenger(uint32 domain, bytes32 sender) {
        require(msg.sender == localMessageTransmitter, "Invalid message transmitter");
        require(sender != 0 && remoteTokenMessengers[domain] == sender, "Remote TokenMessenger unsupported");
        _;
    }

    constructor(
        address localMessageTransmitter_,
        uint32 messageBodyVersion_,
        address localMinter_,
        address feeRecipient_,
        uint32[] memory remoteDomains,
        bytes32[] memory remoteMessengers
    ) {
        require(remoteDomains.length == remoteMessengers.length, "Invalid remote domain configuration");
        localMessageTransmitter = localMessageTransmitter_;
        messageBodyVersion = messageBodyVersion_;
        localMinter = CctpTokenMinter(localMinter_);
        feeRecipient = feeRecipient_;
        for (uint256 i = 0; i < remoteDomains.length; ++i) remoteTokenMessengers[remoteDomains[i]] = remoteMessengers[i];
    }

    function depositForBurn(
        uint256 amount,
        uint32 destinationDomain,
        bytes32 mintRecipient,
        address burnToken,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 minFinalityThreshold
    ) external {
        _depositForBurn(
            Burn(amount, destinationDomain, mintRecipient, burnToken, destinationCaller, maxFee, minFinalityThreshold),
            msg.data[0:0]
        );
    }

    function depositForBurnWithHook(
        uint256 amount,
        uint32 destinationDomain,
        bytes32 mintRecipient,
        address burnToken,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 minFinalityThreshold,
        bytes calldata hookData
    ) external {
        require(hookData.length > 0, "Hook data is empty");
        _depositForBurn(
            Burn(amount, destinationDomain, mintRecipient, burnToken, destinationCaller, maxFee, minFinalityThreshold),
            hookData
        );
    }

    function handleReceiveFinalizedMessage(
        uint32 remoteDomain,
        bytes32 sender,
        uint32,
        bytes calldata messageBody
    ) external onlyRemoteTokenMessenger(remoteDomain, sender) returns (bool) {
        return _mint(remoteDomain, messageBody);
    }

    function handleReceiveUnfinalizedMessage(
        uint32 remoteDomain,
        bytes32 sender,
        uint32 finalityThresholdExecuted,
        bytes calldata messageBody
    ) external onlyRemoteTokenMessenger(remoteDomain, sender) returns (bool) {
        require(finalityThresholdExecuted >= LEAST_FINALITY, "Unsupported finality threshold");
        return _mint(remoteDomain, messageBody);
    }

    struct Burn {
        uint256 amount;
        uint32 destinationDomain;
        bytes32 mintRecipient;
        address burnToken;
        bytes32 destinationCaller;
        uint256 maxFee;
        uint32 minFinalityThreshold;
    }

    function _depositForBurn(Burn memory order, bytes calldata hookData) private {
        require(order.amount > 0, "Amount must be nonzero");
        require(order.mintRecipient != 0, "Mint recipient must be nonzero");
        require(order.maxFee < order.amount, "Max fee must be less than amount");
        bytes32 remoteMessenger = remoteTokenMessengers[order.destinationDomain];
        require(remoteMessenger != 0, "No TokenMessenger for domain");

        bool taken = IERC20(order.burnToken).transferFrom(msg.sender, address(localMinter), order.amount);
        require(taken, "Transfer operation failed");
        localMinter.burn(order.burnToken, order.amount);

        CctpMessageTransmitter(localMessageTransmitter).sendMessage(
            order.destinationDomain,
            remoteMessenger,
            order.destinationCaller,
            order.minFinalityThreshold,
            _burnMessage(order, hookData)
        );
        emit DepositForBurn(
            order.burnToken,
            order.amount,
            msg.sender,
            order.mintRecipient,
            order.destinationDomain,
            remoteMessenger,
            order.destinationCaller,
            order.maxFee,
            order.minFinalityThreshold,
            hookData
        );
    }

    function _burnMessage(Burn memory order, bytes calldata hookData) private view returns (bytes memory) {
        return
            abi.encodePacked(
                messageBodyVersion,
                bytes32(uint256(uint160(order.burnToken))),
                order.mintRecipient,
                order.amount,
                bytes32(uint256(uint160(msg.sender))),
                order.maxFee,
                uint256(0),
                uint256(0),
                hookData
            );
    }

    function _mint(uint32 remoteDomain, bytes calldata message) private returns (bool) {
        require(message.length >= BURN_MESSAGE_LENGTH, "Invalid message: too short");
        require(uint32(bytes4(message[0:4])) == messageBodyVersion, "Invalid message body version");
        uint256 expirationBlock = uint256(bytes32(message[196:228]));
        require(expirationBlock == 0 || expirationBlock > block.number, "Message expired and must be re-signed");
        uint256 amount = uint256(bytes32(message[68:100]));
        uint256 fee = uint256(bytes32(message[164:196]));
        require(fee == 0 || fee < amount, "Fee equals or exceeds amount");
        require(fee <= uint256(bytes32(message[132:164])), "Fee exceeds max fee");
        address recipient = address(uint160(uint256(bytes32(message[36:68]))));
        address minted = localMinter.mint(
            remoteDomain,
            bytes32(message[4:36]),
            recipient,
            feeRecipient,
            amount - fee,
            fee
        );
        emit MintAndWithdraw(recipient, amount - fee, minted, fee);
        return true;
    }
}
