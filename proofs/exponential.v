(* The exponential mechanism on integer scores: src/privacy/exponential.proof.md. *)
From Coq Require Import Reals ZArith List Lia Lra Arith.
From Hedgerow Require Import sums law choice.
Import ListNotations.
Open Scope R_scope.

Section Exponential.
  Variables (n : nat) (k : R).

  Definition weight (u : nat -> Z) (r : nat) : R := exp (k * IZR (u r)).
  Definition total (u : nat -> Z) : R := sum (weight u) (seq 0 n).

  (* Candidate r is returned with probability proportional to exp(k u_r). *)
  Definition exponential (u : nat -> Z) (r : nat) : R :=
    if (r <? n)%nat then weight u r / total u else 0.

  Lemma weight_positive u r : 0 < weight u r.
  Proof. apply exp_pos. Qed.

  Lemma total_positive u : (0 < n)%nat -> 0 < total u.
  Proof.
    intros Hn. apply Rlt_le_trans with (weight u 0); [apply weight_positive|].
    apply sum_mem; [apply in_seq; lia|]. intros; left; apply weight_positive.
  Qed.

  Lemma exponential_inside u r : (r < n)%nat -> exponential u r = weight u r / total u.
  Proof. intros H. unfold exponential. now apply Nat.ltb_lt in H as ->. Qed.

  Theorem exponential_is_law u : (0 < n)%nat -> is_law (exponential u).
  Proof.
    intros Hn. pose proof (total_positive u Hn) as Ht. apply finite_law with (seq 0 n).
    - apply seq_NoDup.
    - intros r. unfold exponential. destruct (r <? n)%nat; [|lra].
      left. apply Rdiv_lt_0_compat; [apply weight_positive|exact Ht].
    - intros r Hr. unfold exponential. destruct (Nat.ltb_spec r n); [|reflexivity].
      destruct Hr. apply in_seq. lia.
    - apply Nat.eq_dec.
    - rewrite (sum_ext _ (fun r => / total u * weight u r)).
      + rewrite sum_scale. fold (total u). field. lra.
      + intros r Hr. rewrite exponential_inside by (apply in_seq in Hr; lia). unfold Rdiv. ring.
  Qed.

  (* The losses of any two candidates differ by at most k width: bounded range. *)
  Lemma bounded_range u u' width r s :
    0 < k -> (0 < n)%nat -> has_width n u u' width -> (r < n)%nat -> (s < n)%nat ->
    weight u r * weight u' s <= exp (k * IZR width) * (weight u' r * weight u s).
  Proof.
    intros Hk Hn Hw Hr Hs. unfold weight. rewrite <- !exp_plus. apply exp_grows.
    rewrite <- !Rmult_plus_distr_l. apply Rmult_le_compat_l; [lra|]. rewrite <- !plus_IZR. apply IZR_le.
    specialize (Hw s r Hs Hr). lia.
  Qed.

  Lemma exponential_pointwise u u' width r :
    0 < k -> (0 < n)%nat -> has_width n u u' width ->
    exponential u r <= exp (k * IZR width) * exponential u' r.
  Proof.
    intros Hk Hn Hw. pose proof (total_positive u Hn) as Ht. pose proof (total_positive u' Hn) as Ht'.
    destruct (Nat.ltb_spec r n) as [Hr|Hr].
    2: { unfold exponential. replace (r <? n)%nat with false; [lra|]. symmetry. now apply Nat.ltb_ge. }
    rewrite !exponential_inside by easy.
    assert (H : weight u r * total u' <= exp (k * IZR width) * (weight u' r * total u)).
    { unfold total. rewrite <- !sum_scale. apply sum_le. intros s Hs. apply in_seq in Hs.
      apply bounded_range; auto; lia. }
    apply Rmult_le_reg_r with (total u * total u'); [now apply Rmult_lt_0_compat|].
    replace (weight u r / total u * (total u * total u')) with (weight u r * total u') by (field; lra).
    replace (exp (k * IZR width) * (weight u' r / total u') * (total u * total u'))
      with (exp (k * IZR width) * (weight u' r * total u)) by (field; lra).
    exact H.
  Qed.
End Exponential.

(* A line of a gate of pure epsilon, whose scale the check accepts, is private for its cost. *)
Theorem exponential_private n u u' cost num den width :
  (0 < n)%nat -> covers cost num den width -> has_width n u u' width ->
  private (value cost) (exponential n (scale num den) u) (exponential n (scale num den) u').
Proof.
  intros Hn Hc Hw. pose proof (scale_positive _ _ _ _ Hc) as Hk. pose proof (covers_cost _ _ _ _ Hc) as He.
  assert (Hboth : forall v v', has_width n v v' width ->
            within (value cost) (exponential n (scale num den) v) (exponential n (scale num den) v')).
  { intros v v' Hv. apply pointwise_within. intros r.
    apply Rle_trans with (exp (scale num den * IZR width) * exponential n (scale num den) v' r).
    - now apply exponential_pointwise.
    - apply Rmult_le_compat_r; [|now apply exp_grows]. now apply exponential_is_law. }
  split; apply Hboth; [exact Hw|now apply has_width_sym].
Qed.

(* The losses ln(p_r/p'_r) of two candidates differ by at most the epsilon k width: what zCDP and GDP follow from. *)
Theorem exponential_bounded_range n u u' k width r s :
  (0 < n)%nat -> 0 < k -> has_width n u u' width -> (r < n)%nat -> (s < n)%nat ->
  let p := exponential n k u in let p' := exponential n k u' in
  p r * p' s <= exp (k * IZR width) * (p' r * p s).
Proof.
  intros Hn Hk Hw Hr Hs p p'. unfold p, p'. rewrite !exponential_inside by easy.
  pose proof (total_positive n k u Hn) as Ht. pose proof (total_positive n k u' Hn) as Ht'.
  pose proof (bounded_range n k u u' width r s Hk Hn Hw Hr Hs) as H.
  replace (weight k u r / total n k u * (weight k u' s / total n k u'))
    with (weight k u r * weight k u' s * / (total n k u * total n k u')) by (field; lra).
  replace (exp (k * IZR width) * (weight k u' r / total n k u' * (weight k u s / total n k u)))
    with (exp (k * IZR width) * (weight k u' r * weight k u s) * / (total n k u * total n k u')) by (field; lra).
  apply Rmult_le_compat_r; [|exact H]. left. apply Rinv_0_lt_compat. now apply Rmult_lt_0_compat.
Qed.
