// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {StockIdRegistry} from "./StockIdRegistry.sol";
import {StockToken} from "./StockToken.sol";

/// Mints and redeems tokenized stocks at prices that the issuer has attested. Takes exactly the value of what it mints: the
/// one of the main network takes the whole deposit and returns the surplus in a token of its own.
contract StockTokenManager is EIP712 {
    using SafeERC20 for IERC20;

    enum Side {
        BUY,
        SELL
    }

    /// `price` in dollars for one token and `quantity` in tokens, both with 18 decimals.
    struct Quote {
        uint256 chainId;
        uint256 attestationId;
        bytes32 userId;
        address asset;
        uint256 price;
        uint256 quantity;
        uint256 expiration;
        Side side;
        bytes32 additionalData;
    }

    bytes32 private constant QUOTE_TYPEHASH = keccak256(
        "Quote(uint256 chainId,uint256 attestationId,bytes32 userId,address asset,uint256 price,uint256 quantity,uint256 expiration,uint8 side,bytes32 additionalData)"
    );
    uint256 public constant MINIMUM_VALUE_USD = 1e18;

    StockIdRegistry public immutable registry;
    /// A dollar token.
    IERC20 public immutable dollar;
    /// What a base unit of the dollar token counts with 18 decimals.
    uint256 private immutable dollarUnit;
    address public immutable attester;
    address public immutable owner = msg.sender;
    bool public mintsPaused;
    bool public redemptionsPaused;
    mapping(uint256 attestationId => bool) public isUsed;

    event Minted(address indexed account, address indexed asset, uint256 quantity, uint256 paid);
    event Redeemed(address indexed account, address indexed asset, uint256 quantity, uint256 received);

    error NotOwner();
    error MintsPaused();
    error RedemptionsPaused();
    error WrongSide();
    error NotRegistered();
    error AttestationUsed();
    error AttestationExpired();
    error WrongUser();
    error WrongChain();
    error WrongSigner();
    error WrongToken();
    error BelowMinimum();
    error BelowReceiveAmount();

    constructor(StockIdRegistry registry_, IERC20 dollar_, uint8 dollarDecimals, address attester_)
        EIP712("OndoGMTokenManager", "1")
    {
        registry = registry_;
        dollar = dollar_;
        dollarUnit = 10 ** (18 - dollarDecimals);
        attester = attester_;
    }

    function setPaused(bool mints, bool redemptions) external {
        if (msg.sender != owner) revert NotOwner();
        (mintsPaused, redemptionsPaused) = (mints, redemptions);
    }

    function mintWithAttestation(
        Quote calldata quote,
        bytes calldata signature,
        address depositToken,
        uint256 depositTokenAmount
    ) external returns (uint256) {
        if (mintsPaused) revert MintsPaused();
        if (quote.side != Side.BUY) revert WrongSide();
        uint256 value = _use(quote, signature, depositToken);
        uint256 paid = (value + dollarUnit - 1) / dollarUnit;
        if (paid > depositTokenAmount) revert BelowReceiveAmount();
        dollar.safeTransferFrom(msg.sender, address(this), paid);
        StockToken(quote.asset).mint(msg.sender, quote.quantity);
        emit Minted(msg.sender, quote.asset, quote.quantity, paid);
        return quote.quantity;
    }

    function redeemWithAttestation(
        Quote calldata quote,
        bytes calldata signature,
        address receiveToken,
        uint256 minimumReceiveAmount
    ) external returns (uint256) {
        if (redemptionsPaused) revert RedemptionsPaused();
        if (quote.side != Side.SELL) revert WrongSide();
        uint256 received = _use(quote, signature, receiveToken) / dollarUnit;
        if (received < minimumReceiveAmount) revert BelowReceiveAmount();
        StockToken(quote.asset).burn(msg.sender, quote.quantity);
        dollar.safeTransfer(msg.sender, received);
        emit Redeemed(msg.sender, quote.asset, quote.quantity, received);
        return received;
    }

    /// Value in dollars with 18 decimals of an attestation, which is used up.
    function _use(Quote calldata quote, bytes calldata signature, address token) private returns (uint256 value) {
        bytes32 userId = registry.idOf(msg.sender);
        if (userId == bytes32(0)) revert NotRegistered();
        if (isUsed[quote.attestationId]) revert AttestationUsed();
        if (block.timestamp > quote.expiration) revert AttestationExpired();
        if (quote.userId != userId) revert WrongUser();
        if (token != address(dollar)) revert WrongToken();
        if (quote.chainId != block.chainid) revert WrongChain();
        if (ECDSA.recover(_hashTypedDataV4(_structHash(quote)), signature) != attester) revert WrongSigner();
        value = (quote.quantity * quote.price) / 1e18;
        if (value < MINIMUM_VALUE_USD) revert BelowMinimum();
        isUsed[quote.attestationId] = true;
    }

    function _structHash(Quote calldata quote) private pure returns (bytes32) {
        return keccak256(
            abi.encode(
                QUOTE_TYPEHASH,
                quote.chainId,
                quote.attestationId,
                quote.userId,
                quote.asset,
                quote.price,
                quote.quantity,
                quote.expiration,
                quote.side,
                quote.additionalData
            )
        );
    }
}
