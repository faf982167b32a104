(* Permute-and-flip on integer scores: src/privacy/permute_and_flip.proof.md. The law is that of the algorithm: candidates
   are visited in a uniformly random order, each is taken by a coin of its own, the first that is taken is returned. The
   proof follows the visits by induction; it needs no exponential noise and no integral. *)
From Coq Require Import Reals ZArith List Lia Lra Arith Permutation.
From Hedgerow Require Import sums law choice.
Import ListNotations.
Open Scope R_scope.

Notation without := (remove Nat.eq_dec).

(* ---- Lists of candidates ---- *)

Lemma without_perm l s : NoDup l -> In s l -> Permutation l (s :: without s l).
Proof.
  induction l as [|a l IH]; intros Hd Hs; [easy|]. inversion Hd as [|? ? Ha Hl]; subst. cbn.
  destruct (Nat.eq_dec s a) as [->|Hne].
  - now rewrite notin_remove.
  - destruct Hs as [->|Hs]; [easy|]. rewrite (IH Hl Hs) at 1. apply perm_swap.
Qed.

Lemma without_length l s m : NoDup l -> In s l -> length l = S m -> length (without s l) = m.
Proof. intros Hd Hs Hm. pose proof (Permutation_length (without_perm l s Hd Hs)). cbn in *. lia. Qed.

Lemma without_nodup l s : NoDup l -> NoDup (without s l).
Proof.
  intros Hd. destruct (in_dec Nat.eq_dec s l) as [Hs|Hs]; [|now rewrite notin_remove].
  pose proof (Permutation_NoDup (without_perm l s Hd Hs) Hd) as H. now inversion H.
Qed.

Section Coins.
  Variable p : nat -> R. (* the coins' probabilities *)

  (* The probability that r is the first to be taken of those that wait, in `steps` visits. *)
  Fixpoint first_taken (steps : nat) (waiting : list nat) (r : nat) : R :=
    match steps with
    | O => 0
    | S steps =>
        / INR (length waiting) *
        sum (fun s => (if Nat.eq_dec s r then p s else 0) + (1 - p s) * first_taken steps (without s waiting) r) waiting
    end.

  (* The probability that one that is taken for sure whenever it is visited comes before all of `others` that are taken. *)
  Fixpoint comes_first (steps : nat) (others : list nat) : R :=
    match steps with
    | O => 1
    | S steps =>
        / INR (S (length others)) * (1 + sum (fun s => (1 - p s) * comes_first steps (without s others)) others)
    end.

  Lemma one_visit m l r :
    first_taken (S m) l r =
    / INR (length l) * sum (fun s => (if Nat.eq_dec s r then p s else 0) + (1 - p s) * first_taken m (without s l) r) l.
  Proof. reflexivity. Qed.

  Lemma not_waiting m l r : ~ In r l -> first_taken m l r = 0.
  Proof.
    revert l. induction m as [|m IH]; intros l Hr; [reflexivity|]. rewrite one_visit.
    rewrite sum_zero; [lra|]. intros s Hs. destruct (Nat.eq_dec s r) as [->|_]; [easy|].
    rewrite IH; [lra|]. intros H. apply in_remove in H. tauto.
  Qed.

  (* r is returned if its coin shows heads and it comes before all others whose coins do. *)
  Lemma first_taken_product m l r :
    NoDup l -> length l = S m -> In r l -> first_taken (S m) l r = p r * comes_first m (without r l).
  Proof.
    revert l. induction m as [|m IH]; intros l Hd Hl Hr; rewrite one_visit, Hl;
      rewrite (sum_perm _ _ _ (without_perm l r Hd Hr)), sum_cons; destruct (Nat.eq_dec r r) as [_|]; try easy;
      rewrite (not_waiting _ (without r l)) by apply remove_In; pose proof (without_length l r _ Hd Hr Hl) as Hl'.
    - apply length_zero_iff_nil in Hl'. rewrite Hl', sum_nil. cbn. lra.
    - cbn [comes_first]. rewrite Hl'.
      rewrite (sum_ext _ (fun s => p r * ((1 - p s) * comes_first m (without s (without r l))))).
      + rewrite sum_scale. ring.
      + intros s Hs. apply in_remove in Hs. destruct Hs as [Hs Hne].
        destruct (Nat.eq_dec s r) as [|_]; [easy|].
        rewrite IH; [|now apply without_nodup|now apply without_length|now apply in_in_remove; auto].
        rewrite remove_remove_comm. ring.
  Qed.

  Definition all_tails (l : list nat) : R := fold_right (fun s x => (1 - p s) * x) 1 l.

  Lemma all_tails_perm l l' : Permutation l l' -> all_tails l = all_tails l'.
  Proof.
    unfold all_tails. induction 1; cbn; [reflexivity|congruence|ring|congruence].
  Qed.

  Lemma all_tails_nonneg l : (forall s, In s l -> p s <= 1) -> 0 <= all_tails l.
  Proof.
    induction l as [|a l IH]; intros H; cbn; [lra|]. apply Rmult_le_pos; [|apply IH; intros; apply H; now right].
    specialize (H a (or_introl eq_refl)). lra.
  Qed.

  (* Somebody is taken unless all coins show tails. *)
  Lemma somebody_taken m l : NoDup l -> length l = m -> sum (first_taken m l) l = 1 - all_tails l.
  Proof.
    revert l. induction m as [|m IH]; intros l Hd Hl.
    - apply length_zero_iff_nil in Hl. subst. cbn. lra.
    - assert (Hn : INR (S m) <> 0) by (apply not_0_INR; lia).
      transitivity (/ INR (S m) * sum (fun s => sum (fun r => (if Nat.eq_dec s r then p s else 0) +
                       (1 - p s) * first_taken m (without s l) r) l) l).
      { rewrite sum_swap, <- sum_scale. apply sum_ext. intros r _. now rewrite one_visit, Hl. }
      rewrite (sum_ext _ (fun _ => 1 - all_tails l)).
      + rewrite sum_const, Hl. field. exact Hn.
      + intros s Hs. pose proof (without_perm l s Hd Hs) as Hperm. rewrite (sum_perm _ _ _ Hperm), sum_cons.
        destruct (Nat.eq_dec s s) as [_|]; [|easy]. rewrite (not_waiting _ (without s l)) by apply remove_In.
        rewrite (sum_ext _ (fun r => (1 - p s) * first_taken m (without s l) r)).
        * rewrite sum_scale, IH; [|now apply without_nodup|now apply without_length].
          rewrite (all_tails_perm _ _ Hperm). cbn. fold (all_tails (without s l)). ring.
        * intros r Hr. apply in_remove in Hr. destruct (Nat.eq_dec s r) as [->|_]; [tauto|ring].
  Qed.

  Hypothesis coins : forall s, 0 <= p s <= 1.

  Lemma one_more_positive l : 0 < INR (S (@length nat l)).
  Proof. apply lt_0_INR. lia. Qed.

  Lemma comes_first_nonneg m l : 0 <= comes_first m l.
  Proof.
    revert l. induction m as [|m IH]; intros l; cbn [comes_first]; [lra|]. pose proof (one_more_positive l).
    apply Rmult_le_pos; [left; now apply Rinv_0_lt_compat|].
    enough (0 <= sum (fun s => (1 - p s) * comes_first m (without s l)) l) by lra.
    apply sum_nonneg. intros s _. apply Rmult_le_pos; [specialize (coins s); lra|apply IH].
  Qed.

  Lemma at_most_one_taken m l :
    NoDup l -> length l = S m -> sum (fun s => p s * comes_first m (without s l)) l <= 1.
  Proof.
    intros Hd Hl. rewrite <- (sum_ext (first_taken (S m) l)).
    - rewrite somebody_taken by easy. assert (0 <= all_tails l) by (apply all_tails_nonneg; intros; apply coins). lra.
    - intros s Hs. now apply first_taken_product.
  Qed.
End Coins.

(* ---- Two sets of coins ---- *)

Lemma inverse_times_le c x y : 0 < c -> x <= y -> / c * x <= / c * y.
Proof. intros Hc H. apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|exact H]. Qed.

(* Where the others' coins show heads more rarely, one comes before them more often. *)
Lemma rarer_coins p q m l :
  (forall s, 0 <= q s <= 1) -> (forall s, 0 <= p s <= 1) -> (forall s, In s l -> q s <= p s) ->
  comes_first p m l <= comes_first q m l.
Proof.
  intros Hq Hp. revert l. induction m as [|m IH]; intros l H; cbn [comes_first]; [lra|].
  apply inverse_times_le; [apply one_more_positive|]. apply Rplus_le_compat_l, sum_le. intros s Hs.
  assert (H1 : comes_first p m (without s l) <= comes_first q m (without s l)).
  { apply IH. intros t Ht. apply in_remove in Ht. now apply H. }
  pose proof (comes_first_nonneg p Hp m (without s l)). specialize (H s Hs). specialize (Hp s). specialize (Hq s).
  apply Rmult_le_compat; lra.
Qed.

(* Where the others' coins are c times as often heads, one comes before them at most 1/c times as often. *)
Lemma thinned_coins p c m l :
  0 <= c <= 1 -> (forall s, 0 <= p s <= 1) -> NoDup l -> length l = m ->
  c * comes_first (fun s => c * p s) m l <= comes_first p m l.
Proof.
  intros Hc Hp. revert l. induction m as [|m IH]; intros l Hd Hl; cbn [comes_first]; [lra|].
  set (others := fun s => comes_first p m (without s l)).
  set (thinned := fun s => comes_first (fun s => c * p s) m (without s l)).
  assert (H1 : sum (fun s => (1 - c * p s) * (c * thinned s)) l <= sum (fun s => (1 - c * p s) * others s) l).
  { apply sum_le. intros s Hs. apply Rmult_le_compat_l.
    - specialize (Hp s). assert (c * p s <= 1 * 1) by (apply Rmult_le_compat; lra). lra.
    - apply IH; [now apply without_nodup|now apply without_length]. }
  assert (H2 : sum (fun s => (1 - c * p s) * others s) l =
               sum (fun s => (1 - p s) * others s) l + (1 - c) * sum (fun s => p s * others s) l).
  { rewrite <- sum_scale, <- sum_plus. apply sum_ext. intros; ring. }
  assert (H3 : (1 - c) * sum (fun s => p s * others s) l <= (1 - c) * 1).
  { apply Rmult_le_compat_l; [lra|]. now apply at_most_one_taken. }
  change (c * (/ INR (S (length l)) * (1 + sum (fun s => (1 - c * p s) * thinned s) l)) <=
          / INR (S (length l)) * (1 + sum (fun s => (1 - p s) * others s) l)).
  replace (c * (/ INR (S (length l)) * (1 + sum (fun s => (1 - c * p s) * thinned s) l)))
    with (/ INR (S (length l)) * (c + sum (fun s => (1 - c * p s) * (c * thinned s)) l)).
  - apply inverse_times_le; [apply one_more_positive|]. lra.
  - rewrite (sum_ext (fun s => (1 - c * p s) * (c * thinned s)) (fun s => c * ((1 - c * p s) * thinned s)))
      by (intros; ring).
    rewrite sum_scale. ring.
Qed.

(* ---- The mechanism ---- *)

Section Mechanism.
  Variables (n : nat) (k : R).
  Hypothesis k_positive : 0 < k.

  Definition best (u : nat -> Z) : Z := fold_right Z.max (u 0%nat) (map u (seq 0 n)).
  Definition coin (u : nat -> Z) (r : nat) : R := exp (- (k * IZR (best u - u r))).
  Definition permute_and_flip (u : nat -> Z) (r : nat) : R := first_taken (coin u) n (seq 0 n) r.

  Lemma best_fold u l r : In r l -> (u r <= fold_right Z.max (u 0%nat) (map u l))%Z.
  Proof. induction l as [|a l IH]; [easy|]. intros [->|H]; cbn; [|specialize (IH H)]; lia. Qed.

  Lemma best_largest u r : (r < n)%nat -> (u r <= best u)%Z.
  Proof. intros H. apply best_fold, in_seq. lia. Qed.

  Lemma best_attained u : (0 < n)%nat -> exists r, (r < n)%nat /\ u r = best u.
  Proof.
    intros Hn. assert (H : forall l, (forall r, In r l -> (r < n)%nat) ->
      exists r, (r < n)%nat /\ u r = fold_right Z.max (u 0%nat) (map u l)).
    { induction l as [|a l IH]; intros Hl; [now exists 0%nat|].
      destruct IH as (r & Hr & E); [intros; apply Hl; now right|]. cbn.
      destruct (Z.max_spec (u a) (fold_right Z.max (u 0%nat) (map u l))) as [[_ ->]|[_ ->]].
      - now exists r.
      - exists a. split; [apply Hl; now left|reflexivity]. }
    apply H. intros r Hr. apply in_seq in Hr. lia.
  Qed.

  (* Coins of numbers that are no candidates do not matter; they are held at 1. *)
  Definition coin_in (u : nat -> Z) (r : nat) : R := if (r <? n)%nat then coin u r else 1.

  Lemma coin_in_inside u r : (r < n)%nat -> coin_in u r = coin u r.
  Proof. intros H. unfold coin_in. now apply Nat.ltb_lt in H as ->. Qed.

  Lemma coin_in_range u r : 0 <= coin_in u r <= 1.
  Proof.
    unfold coin_in. destruct (Nat.ltb_spec r n) as [H|_]; [|lra]. unfold coin. split; [left; apply exp_pos|].
    rewrite <- exp_0. apply exp_grows. assert (0 <= k * IZR (best u - u r)); [|lra].
    apply Rmult_le_pos; [lra|]. apply IZR_le. pose proof (best_largest u r H). lia.
  Qed.

  Lemma first_taken_ext p q m l r :
    (forall s, In s l -> p s = q s) -> first_taken p m l r = first_taken q m l r.
  Proof.
    revert l. induction m as [|m IH]; intros l H; [reflexivity|]. cbn [first_taken]. f_equal. apply sum_ext.
    intros s Hs. rewrite (H s Hs). f_equal. f_equal. apply IH. intros t Ht. apply in_remove in Ht. now apply H.
  Qed.

  Lemma permute_and_flip_in u r : permute_and_flip u r = first_taken (coin_in u) n (seq 0 n) r.
  Proof.
    apply first_taken_ext. intros s Hs. apply in_seq in Hs. symmetry. apply coin_in_inside. lia.
  Qed.

  Lemma permute_and_flip_outside u r : (n <= r)%nat -> permute_and_flip u r = 0.
  Proof. intros H. apply not_waiting. rewrite in_seq. lia. Qed.

  Lemma permute_and_flip_product u r m :
    n = S m -> (r < n)%nat -> permute_and_flip u r = coin_in u r * comes_first (coin_in u) m (without r (seq 0 n)).
  Proof.
    intros Hm Hr. rewrite permute_and_flip_in, Hm.
    apply first_taken_product; [apply seq_NoDup|apply seq_length|apply in_seq; lia].
  Qed.

  Lemma permute_and_flip_nonneg u r : 0 <= permute_and_flip u r.
  Proof.
    destruct (Nat.ltb_spec r n) as [Hr|Hr]; [|rewrite permute_and_flip_outside by easy; lra].
    destruct n as [|m] eqn:Hn; [lia|]. rewrite <- Hn in *. rewrite (permute_and_flip_product u r m Hn Hr).
    apply Rmult_le_pos; [apply coin_in_range|]. apply comes_first_nonneg. apply coin_in_range.
  Qed.

  (* A candidate with the largest score is taken for sure: the law adds up to 1. *)
  Theorem permute_and_flip_is_law u : (0 < n)%nat -> is_law (permute_and_flip u).
  Proof.
    intros Hn. apply finite_law with (seq 0 n).
    - apply seq_NoDup.
    - apply permute_and_flip_nonneg.
    - intros r Hr. apply permute_and_flip_outside. rewrite in_seq in Hr. lia.
    - apply Nat.eq_dec.
    - unfold permute_and_flip. rewrite somebody_taken by (apply seq_NoDup || apply seq_length).
      destruct (best_attained u Hn) as (r & Hr & E).
      rewrite (all_tails_perm (coin u) _ (r :: without r (seq 0 n))) by
        (apply without_perm; [apply seq_NoDup|apply in_seq; lia]).
      cbn. unfold coin at 1. rewrite E, Z.sub_diag, Rmult_0_r, Ropp_0, exp_0. ring.
  Qed.

  Lemma permute_and_flip_pointwise u u' width r :
    (0 < n)%nat -> has_width n u u' width ->
    permute_and_flip u r <= exp (k * IZR width) * permute_and_flip u' r.
  Proof.
    intros Hn Hw. destruct (Nat.ltb_spec r n) as [Hr|Hr].
    2: { rewrite !permute_and_flip_outside by easy. lra. }
    destruct n as [|m] eqn:En; [lia|]. rewrite <- En in *.
    rewrite !(permute_and_flip_product _ r m En Hr). set (others := without r (seq 0 n)).
    assert (Hd : NoDup others) by apply without_nodup, seq_NoDup.
    assert (Hl : length others = m).
    { apply without_length; [apply seq_NoDup|apply in_seq; lia|now rewrite seq_length]. }
    (* low is the smallest change of a score; shift is what u' is at most ahead of u, over the best of u'. *)
    assert (Hlow : exists low, (forall s, (s < n)%nat -> (low <= u' s - u s <= low + width)%Z)).
    { destruct (best_attained (fun s => (u s - u' s)%Z) Hn) as (s & Hs & Es).
      exists (u' s - u s)%Z. intros t Ht. pose proof (best_largest (fun s => (u s - u' s)%Z) t Ht) as Hb.
      cbn beta in *. pose proof (Hw t s Ht Hs). lia. }
    destruct Hlow as [low Hlow].
    set (c := exp (- (k * IZR (best u + low + width - best u')))).
    assert (Hc : 0 <= c <= 1).
    { unfold c. split; [left; apply exp_pos|]. rewrite <- exp_0. apply exp_grows.
      assert (0 <= k * IZR (best u + low + width - best u')); [|lra]. apply Rmult_le_pos; [lra|]. apply IZR_le.
      destruct (best_attained u' Hn) as (s & Hs & Es). specialize (Hlow s Hs). pose proof (best_largest u s Hs). lia. }
    assert (Hthin : forall s, In s others -> c * coin_in u' s <= coin_in u s).
    { intros s Hs. apply in_remove in Hs. destruct Hs as [Hs _]. apply in_seq in Hs.
      rewrite !coin_in_inside by lia. unfold c, coin. rewrite <- exp_plus. apply exp_grows.
      rewrite <- Ropp_plus_distr, <- Rmult_plus_distr_l, <- plus_IZR. apply Ropp_le_contravar.
      apply Rmult_le_compat_l; [lra|]. apply IZR_le. specialize (Hlow s). lia. }
    assert (H1 : comes_first (coin_in u) m others <= comes_first (fun s => c * coin_in u' s) m others).
    { apply rarer_coins; auto using coin_in_range. intros s. pose proof (coin_in_range u' s).
      split; [apply Rmult_le_pos; lra|]. rewrite <- (Rmult_1_r 1). apply Rmult_le_compat; lra. }
    assert (H2 : c * comes_first (fun s => c * coin_in u' s) m others <= comes_first (coin_in u') m others).
    { apply thinned_coins; auto. apply coin_in_range. }
    assert (H3 : coin_in u r <= exp (k * IZR width) * (c * coin_in u' r)).
    { rewrite !coin_in_inside by easy. unfold c, coin. rewrite <- !exp_plus. apply exp_grows.
      rewrite !minus_IZR, !plus_IZR. specialize (Hlow r Hr). destruct Hlow as [Hlow _].
      apply IZR_le in Hlow. rewrite minus_IZR in Hlow. nra. }
    pose proof (coin_in_range u r) as Hp. pose proof (coin_in_range u' r) as Hp'.
    apply Rle_trans with (exp (k * IZR width) * (c * coin_in u' r) * comes_first (fun s => c * coin_in u' s) m others).
    - apply Rmult_le_compat; try lra; try easy. apply comes_first_nonneg. apply coin_in_range.
    - replace (exp (k * IZR width) * (c * coin_in u' r) * comes_first (fun s => c * coin_in u' s) m others)
        with (exp (k * IZR width) * (coin_in u' r * (c * comes_first (fun s => c * coin_in u' s) m others))) by ring.
      apply Rmult_le_compat_l; [left; apply exp_pos|]. now apply Rmult_le_compat_l.
  Qed.
End Mechanism.

(* A line of a gate of pure epsilon, whose scale the check accepts, is private for its cost. *)
Theorem permute_and_flip_private n u u' cost num den width :
  (0 < n)%nat -> covers cost num den width -> has_width n u u' width ->
  private (value cost) (permute_and_flip n (scale num den) u) (permute_and_flip n (scale num den) u').
Proof.
  intros Hn Hc Hw. pose proof (scale_positive _ _ _ _ Hc) as Hk. pose proof (covers_cost _ _ _ _ Hc) as He.
  assert (Hboth : forall v v', has_width n v v' width ->
            within (value cost) (permute_and_flip n (scale num den) v) (permute_and_flip n (scale num den) v')).
  { intros v v' Hv. apply pointwise_within. intros r.
    apply Rle_trans with (exp (scale num den * IZR width) * permute_and_flip n (scale num den) v' r).
    - now apply permute_and_flip_pointwise.
    - apply Rmult_le_compat_r; [now apply permute_and_flip_nonneg|now apply exp_grows]. }
  split; apply Hboth; [exact Hw|now apply has_width_sym].
Qed.
